"""Cards whose status time alone has changed: found by when they turn, and settled before anything is counted."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.kernel.clock import Instant
from lootkeep.storage import gift_card_mails, gift_cards
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.storage.gift_card_mails import Codes
from lootkeep.storage.query import Query
from lootkeep.storage.tables import gift_cards as cards

_BATCH = 500

_CARD = [cards.c[name] for name in GiftCard.__struct_fields__]
_DUE = select(*_CARD).where(cards.c.turns_at <= bindparam("now")).order_by(cards.c.turns_at)
_ANY = Query(_DUE.limit(1), GiftCard)
# A card that a deed holds is waited for alone: two who hold several can wait for each other in a circle.
_FREE = Query(_DUE.limit(_BATCH).with_for_update(skip_locked=True), GiftCard)
_FIRST = Query(_DUE.limit(1).with_for_update(), GiftCard)


async def are_due(tx: Transaction, now: Instant) -> bool:
    return await tx.one(_ANY, now=now) is not None


async def settle(tx: Transaction, now: Instant, codes: Codes) -> int:
    """Settles some of what has turned; tells how many, so that the caller goes on until there are none."""
    due = await tx.all(_FREE, now=now) or await tx.all(_FIRST, now=now)
    changes = Changes(spread=0)
    for card in due:
        turned = await gift_cards.save(tx, card, card, now, changes)
        await gift_card_mails.send_first(tx, turned, codes, now, changes)
    await changes.apply(tx)
    return len(due)
