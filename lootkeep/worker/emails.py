"""Sends e-mails: one at a time. A crash loses nothing; what may arrive twice is marked."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import structlog

from lootkeep.deps import Deps
from lootkeep.domain import emails as emails_rules
from lootkeep.domain.emails import Email, QueuedEmail, SendResult
from lootkeep.engines.emails import Mailer
from lootkeep.engines.vault import SealError
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import Instant
from lootkeep.storage import emails as emails_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.worker.metrics import WorkerMetrics
from lootkeep.worker.runner import QueueWorker

log = structlog.get_logger(__name__)

# When the process is stopped, an e-mail in progress may take this long; then it counts as perhaps sent.
_GRACE_SECONDS = 10.0

ItemT = TypeVar("ItemT")


class MailerWorker(QueueWorker, Generic[ItemT]):
    """One e-mail in progress, so a kill leaves one in doubt; it is settled when the next is claimed."""

    def __init__(
        self,
        deps: Deps,
        wakeup: Wakeup,
        mailer: Mailer,
        *,
        delays: Sequence[int] = emails_rules.RETRY_SECONDS,
        metrics: WorkerMetrics | None = None,
    ) -> None:
        super().__init__(deps, wakeup)
        self._mailer = mailer
        self._delays = delays
        self._metrics = metrics
        self._finished: tuple[ItemT, SendResult] | None = None

    async def run_once(self, stopping: asyncio.Event | None = None) -> bool:
        now = self._deps.clock.now()
        # Looked up first: an idle worker never writes, and so never wakes itself.
        async with self._deps.db.read() as tx:
            due = await self.next_due(tx, now)
        is_due = due is not None and due <= now
        item = await self._settle(claim=is_due) if is_due or self._finished else None
        if item is None:
            return False
        result = await self._sent(item, stopping)
        if self._metrics:
            self._metrics.observe_email(self.work, result)
        self._finished = item, result
        return True

    async def drain(self) -> None:
        if self._finished:
            await self._settle(claim=False)
        await self._mailer.close()

    async def _settle(self, *, claim: bool) -> ItemT | None:
        """Records the result of the last e-mail and takes the next, in one transaction."""
        now = self._deps.clock.now()
        async with self._deps.db.write() as tx:
            item = await self.settle_and_claim(tx, self._finished, claim=claim, now=now)
        self._finished = None
        return item

    @abstractmethod
    async def settle_and_claim(
        self, tx: Transaction, finished: tuple[ItemT, SendResult] | None, *, claim: bool, now: Instant
    ) -> ItemT | None: ...

    @abstractmethod
    async def write(self, item: ItemT) -> Email | SendResult:
        """The e-mail to send, or why it is not sent."""

    async def _sent(self, item: ItemT, stopping: asyncio.Event | None) -> SendResult:
        """The result of an item; a process that is stopped does not wait long for a slow server."""
        email = await self.write(item)
        if isinstance(email, SendResult):
            return email
        sending = asyncio.ensure_future(self._mailer.send(email))
        if stopping is not None:
            stopped = asyncio.ensure_future(stopping.wait())
            await asyncio.wait({sending, stopped}, return_when=asyncio.FIRST_COMPLETED)
            stopped.cancel()
            await asyncio.wait({sending}, timeout=_GRACE_SECONDS)
        else:
            await asyncio.wait({sending})
        if not sending.done():
            sending.cancel()
            await asyncio.wait({sending})
            return SendResult("deferred", emails_rules.INTERRUPTED, perhaps_sent=True)
        try:
            return sending.result()
        except Exception:
            # A bug in the worker must not block the queue; it is retried like any other failure.
            log.exception("an e-mail could not be sent")
            return SendResult("deferred", "the e-mail could not be sent")


class EmailWorker(MailerWorker[QueuedEmail]):
    work = "mail"
    wakes_for = frozenset({"mails"})

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        return await emails_db.QUEUE.next_due(tx)

    async def settle_and_claim(
        self, tx: Transaction, finished: tuple[QueuedEmail, SendResult] | None, *, claim: bool, now: Instant
    ) -> QueuedEmail | None:
        if finished:
            email, outcome = finished
            doubtful = email.perhaps_twice
            settlement = emails_rules.settle(outcome, email.failures, now, delays=self._delays, was_doubtful=doubtful)
            await emails_db.QUEUE.settle(tx, self._lease, email, settlement, now)
        return await emails_db.QUEUE.claim(tx, self._lease, Instant(now + emails_rules.LEASE), now) if claim else None

    async def write(self, item: QueuedEmail) -> Email | SendResult:
        if item.failures > len(self._delays):
            return SendResult("refused", emails_rules.INTERRUPTED)
        try:
            body = emails_db.body_of(item, self._deps.vault.open)
        except SealError:
            return SendResult("refused", "the stored e-mail cannot be decrypted: the secret key has changed")
        return Email(
            item.to_email,
            item.to_name,
            item.from_name,
            item.reply_to,
            item.subject,
            body.text,
            body.html,
            item.message_id,
            (("Auto-Submitted", "auto-generated"),),
        )
