"""Sends e-mails: to a mail server, or to the outbox."""

from __future__ import annotations

from typing import Protocol

from lootkeep.domain.emails import Email, SendResult


class Mailer(Protocol):
    """Sends an e-mail; every failure of a server is a result with a message, never an exception."""

    async def send(self, email: Email) -> SendResult: ...

    async def check(self) -> str | None:
        """What prevents sending, as a sentence; None if nothing does."""
        ...

    async def close(self) -> None: ...
