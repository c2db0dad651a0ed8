"""Handing e-mails over: to a mail server, or to nobody."""

from __future__ import annotations

from typing import Protocol

from lootkeep.domain.emails import Email, SendResult


class Mailer(Protocol):
    """Takes an e-mail; nothing a server does is an error, every failure is a result with a message."""

    async def send(self, email: Email) -> SendResult: ...

    async def check(self) -> str | None:
        """What prevents sending, as a sentence; None when nothing does."""
        ...

    async def close(self) -> None: ...
