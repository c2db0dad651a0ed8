"""E-mail without a mail server: it stays in the outbox, where people can read it."""

from __future__ import annotations

from lootkeep.domain.emails import Email, SendResult


class OutboxMailer:
    """Sends nothing, and reports that."""

    async def send(self, email: Email) -> SendResult:
        return SendResult("outbox")

    async def check(self) -> str | None:
        return "no mail server is configured"

    async def close(self) -> None:
        return None
