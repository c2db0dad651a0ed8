"""Cards with a status that time has changed, found by the time of the change."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import gift_cards as cards

_BATCH = 500

_IS_DUE = cards.c.next_status_change_at <= bindparam("now")
_DUE = select(*columns_of(cards, GiftCard)).where(_IS_DUE).order_by(cards.c.next_status_change_at)
_ANY = Query(_DUE.limit(1), GiftCard)
# A card that another transaction has locked is waited for separately: two that lock several could deadlock.
_FREE = Query(_DUE.limit(_BATCH).with_for_update(skip_locked=True), GiftCard)
_FIRST = Query(_DUE.limit(1).with_for_update(), GiftCard)


async def are_due(tx: Transaction, now: Instant) -> bool:
    return await tx.one(_ANY, now=now) is not None


async def lock_due(tx: Transaction, now: Instant) -> list[GiftCard]:
    """Some of the due cards; the caller continues until there are none."""
    return await tx.all(_FREE, now=now) or await tx.all(_FIRST, now=now)
