"""Sending mail: claim one, send it, settle what came of it. A crash loses nothing; what may come twice is marked."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

import structlog

from lootkeep.deps import Deps
from lootkeep.domain import mail as rules
from lootkeep.domain.mail import Letter, Outcome, QueuedMail
from lootkeep.engines.mail import Mailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.storage import mails as storage
from lootkeep.worker.outage import Outage

log = structlog.get_logger(__name__)

# How long the worker sleeps when nothing tells it to look sooner.
LONGEST_SLEEP = 5 * SECOND
SHORTEST_SLEEP = SECOND // 100
# A letter under way when the process is told to stop may take so long; then it counts as perhaps sent.
GRACE_SECONDS = 10.0


class Postman:
    """One worker with one letter under way, so that a kill leaves one in doubt. Any number may run on PostgreSQL."""

    def __init__(
        self, deps: Deps, wakeup: Wakeup, mailer: Mailer, *, delays: Sequence[int] = rules.RETRY_SECONDS
    ) -> None:
        self._deps = deps
        self._wakeup = wakeup
        self._outage = Outage("mail")
        self._mailer = mailer
        self._delays = delays
        self._lease = secrets.token_hex(8)
        self._finished: tuple[QueuedMail, Outcome] | None = None

    async def run(self, stopping: asyncio.Event) -> None:
        """Works until it is told to stop, then ends what is under way."""
        while not stopping.is_set():
            try:
                is_idle = not await self.turn(stopping)
                self._outage.end()
                if is_idle:
                    await self._rest()
            except Unavailable:
                await self._outage.wait(stopping)
        if self._finished is not None:
            await self._settle()
        await self._mailer.close()

    async def turn(self, stopping: asyncio.Event | None = None) -> bool:
        """Settles the last letter and sends the next; False when there was none."""
        mail = await self._next()
        if mail is None:
            return False
        if mail.failures > len(self._delays):
            self._finished = mail, Outcome("refused", rules.INTERRUPTED)
        else:
            self._finished = mail, await sent(self._mailer, self._letter(mail), stopping)
        return True

    async def _next(self) -> QueuedMail | None:
        now = self._deps.clock.now()
        if self._finished is None:
            # Looked for first: an idle worker never writes, and so never wakes itself.
            async with self._deps.db.read() as tx:
                due = await storage.next_due(tx)
            if due is None or due > now:
                return None
        return await self._settle(claim=True)

    async def _settle(self, *, claim: bool = False) -> QueuedMail | None:
        """Writes down what came of the last letter and takes the next, in one transaction."""
        now = self._deps.clock.now()
        async with self._deps.db.write() as tx:
            if self._finished is not None:
                mail, outcome = self._finished
                settlement = rules.settle(
                    outcome, mail.failures, now, delays=self._delays, was_doubtful=mail.perhaps_twice
                )
                await storage.settle(tx, self._lease, mail, settlement, now)
            claimed = await storage.claim(tx, self._lease, now) if claim else None
        self._finished = None
        return claimed

    def _letter(self, mail: QueuedMail) -> Letter | None:
        try:
            body = storage.body_of(mail, self._deps.vault.open)
        except StartupError:
            return None
        return Letter(
            mail.to_email,
            mail.to_name,
            mail.from_name,
            mail.reply_to,
            mail.subject,
            body.text,
            body.html,
            mail.message_id,
            (("Auto-Submitted", "auto-generated"),),
        )

    async def _rest(self) -> None:
        async with self._deps.db.read() as tx:
            due = await storage.next_due(tx)
        await self._wakeup.wait(pause(due, self._deps.clock.now()))


def pause(due: Instant | None, now: Instant) -> float:
    """Seconds to sleep until something is due, within bounds."""
    wanted = LONGEST_SLEEP if due is None else min(LONGEST_SLEEP, max(SHORTEST_SLEEP, due - now))
    return wanted / SECOND


async def sent(mailer: Mailer, letter: Letter | None, stopping: asyncio.Event | None) -> Outcome:
    """What came of handing a letter over; a process that is told to stop does not wait for a slow server for long."""
    if letter is None:
        return Outcome("refused", "the stored mail cannot be opened: the secret key has changed")
    sending = asyncio.ensure_future(mailer.send(letter))
    if stopping is not None:
        told = asyncio.ensure_future(stopping.wait())
        await asyncio.wait({sending, told}, return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        if not sending.done():
            await asyncio.wait({sending}, timeout=GRACE_SECONDS)
    else:
        await asyncio.wait({sending})
    if not sending.done():
        sending.cancel()
        await asyncio.wait({sending})
        return Outcome("deferred", rules.INTERRUPTED, perhaps_sent=True)
    try:
        return sending.result()
    except Exception:
        # A fault of ours must not hold up the queue; it is retried like any other failure.
        log.exception("a mail could not be sent")
        return Outcome("deferred", "the mail could not be sent")
