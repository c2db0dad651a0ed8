"""Cards whose status time alone has changed: found by when they turn, and settled before anything is counted."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from lootkeep.domain import gift_cards as rules
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
        await turn(tx, card, now, codes, changes)
    await changes.apply(tx)
    return len(due)


async def turn(tx: Transaction, card: GiftCard, now: Instant, codes: Codes, changes: Changes) -> GiftCard:
    """Brings a card that is held to where it is by now; one that has become valid is mailed to its recipient."""
    if rules.status(card, now) == card.kept_status:
        return card
    turned = await gift_cards.save(tx, card, card, now, changes)
    return await gift_card_mails.send_first(tx, turned, codes, now, changes)
