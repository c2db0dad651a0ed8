"""The health of receivers, from their latest attempts."""

from __future__ import annotations

from collections.abc import Sequence

from lootkeep.domain.receivers import Receiver, receiver_of
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import endpoints as endpoints_db, health as health_db


async def receivers(tx: Transaction, webhooks: Sequence[Webhook], now: Instant) -> list[Receiver]:
    return [
        receiver_of(
            webhook,
            await health_db.recent_attempts(tx, webhook.id),
            await health_db.count_waiting(tx, webhook.id),
            now,
        )
        for webhook in webhooks
    ]


async def active(tx: Transaction, now: Instant) -> list[Receiver]:
    return await receivers(tx, await endpoints_db.ROWS.find(tx, is_active=True), now)


async def failing(tx: Transaction, now: Instant) -> list[Receiver]:
    """The active webhooks with latest attempts that all failed, even if nothing is retried any more."""
    return [receiver for receiver in await active(tx, now) if receiver.is_failing]
