"""Handing e-mails over: to a mail server, or to nobody."""

from __future__ import annotations

from typing import Protocol

from lootkeep.domain.emails import Email, Outcome


class Mailer(Protocol):
    """Takes an e-mail; nothing a server does is an error, every failure is an outcome in words."""

    async def send(self, email: Email) -> Outcome: ...

    async def check(self) -> str | None:
        """What stands in the way of sending, in words; None when nothing does."""
        ...

    async def close(self) -> None: ...
