"""Sends with the mail server that is set now: a change in the console is in effect with the next e-mail."""

from __future__ import annotations

from collections.abc import Callable

from lootkeep.domain.emails import Email, SendResult
from lootkeep.engines.emails import Mailer


class CurrentMailer:
    """`version` is another number after a change of the settings, and `make` opens a mailer with them."""

    def __init__(self, version: Callable[[], int], make: Callable[[], Mailer]) -> None:
        self._version = version
        self._make = make
        self._made_for = version()
        self._mailer = make()

    async def send(self, email: Email) -> SendResult:
        return await (await self._current()).send(email)

    async def check(self) -> str | None:
        return await (await self._current()).check()

    async def close(self) -> None:
        await self._mailer.close()

    async def _current(self) -> Mailer:
        if (version := self._version()) != self._made_for:
            self._made_for, former, self._mailer = version, self._mailer, self._make()
            await former.close()
        return self._mailer
