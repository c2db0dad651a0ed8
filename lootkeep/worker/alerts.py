"""Sends alerts: each has one message at a time, with everything that waits for it."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.domain import alerts as alerts_rules
from lootkeep.domain.alerts import Alert, Notice
from lootkeep.domain.emails import LEASE, Email, SendResult
from lootkeep.domain.settlement import Settlement
from lootkeep.engines.vault import SealError
from lootkeep.kernel.clock import Instant
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.views import alerts as alerts_views
from lootkeep.worker.emails import MailerWorker

# How many are sent at a time: a receiver that hangs holds up nobody else.
SENDERS = 5

Item = tuple[Alert, Sequence[Notice]]


class AlertWorker(MailerWorker[Item]):
    work = "alerts"
    wakes_for = frozenset({"alerts"})

    async def next_due(self, tx: Transaction, now: Instant) -> Instant | None:
        return await alerts_db.QUEUE.next_due(tx)

    async def settle_and_claim(
        self, tx: Transaction, finished: tuple[Item, SendResult] | None, *, claim: bool, now: Instant
    ) -> Item | None:
        if finished:
            (alert, notices), outcome = finished
            settlement = alerts_rules.settle(outcome, alert, now)
            is_held = await alerts_db.QUEUE.settle(tx, self._lease, alert, settlement, now)
            if is_held and settlement.status == "idle":
                await alerts_db.mark_sent(tx, alert.id, notices, alerts_rules.counted(alert, now), now)
        return await self._claim(tx, now) if claim else None

    async def _claim(self, tx: Transaction, now: Instant) -> Item | None:
        """The next alert that may be sent; others wait until they may."""
        while (alert := await alerts_db.QUEUE.claim(tx, self._lease, Instant(now + LEASE), now)) is not None:
            allowed_at = alerts_rules.next_allowed(alert, now)
            if allowed_at is None:
                return alert, await alerts_db.waiting(tx, alert.id)
            waits = Settlement("queued", allowed_at, alert.failures, alert.reason, alert.perhaps_twice)
            await alerts_db.QUEUE.settle(tx, self._lease, alert, waits, now)
        return None

    async def write(self, item: Item) -> Email | SendResult:
        alert, notices = item
        try:
            target = alerts_service.target(self._deps, alert)
        except SealError:
            return SendResult("deferred", "the target cannot be decrypted: the secret key has changed")
        if alert.channel != "email":
            body = alerts_views.payload(alert, self._deps.store, notices)
            result = await self._deps.outbound.post(target, body, {})
            return SendResult("sent") if result.is_delivered else SendResult("deferred", result.reason)
        email = alerts_views.email(alert, self._deps.store, target, notices)
        message_id = f"alert.{alert.id}.{notices[-1].id}"
        headers = (("Auto-Submitted", "auto-generated"),)
        return Email(target, "", None, None, email.subject, email.text, email.html, message_id, headers)
