"""Mail without a mail server: it stays in the outbox, where people can look at it."""

from __future__ import annotations

from lootkeep.domain.mail import Letter, Outcome


class OutboxMailer:
    """Sends nothing, and says so."""

    async def send(self, letter: Letter) -> Outcome:
        return Outcome("outbox")

    async def check(self) -> str | None:
        return "no mail server is set"

    async def close(self) -> None:
        return None
