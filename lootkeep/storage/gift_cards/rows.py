"""Gift cards and their ledger."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import BigInteger, bindparam, cast, func, select

from lootkeep.domain.gift_cards import GiftCard, LedgerEntry
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import gift_card_entries as entries, gift_cards as cards
from lootkeep.storage.schema.gift_cards import TENDER, WITH_REFERENCE
from lootkeep.storage.totals import counters

ROWS = Rows(cards, GiftCard, derived=("next_status_change_at", "search_text"), totals="gift cards")
ENTRIES = Rows(entries, LedgerEntry)

_BOUGHT = Query(select(cards.c.id).where(cards.c.order_id == bindparam("order")).order_by(cards.c.id))
_REVOKED = Query(
    select(cast(func.coalesce(-func.sum(entries.c.amount), 0), BigInteger))
    .join(cards, cards.c.id == entries.c.gift_card_id)
    .where(cards.c.order_id == bindparam("order"), entries.c.type == "revoke")
)
_BY_REFERENCE = Query(
    select(*columns_of(entries, LedgerEntry)).where(
        entries.c.gift_card_id == bindparam("card"),
        entries.c.reference == bindparam("given_reference"),
        WITH_REFERENCE,
    ),
    LedgerEntry,
)
_PAYING = Query(select(entries.c.gift_card_id).where(entries.c.order_id == bindparam("order"), TENDER))


async def by_reference(tx: Transaction, card_id: int, reference: str) -> LedgerEntry | None:
    """The redemption with this reference."""
    return await tx.one(_BY_REFERENCE, card=card_id, given_reference=reference)


async def paying_for(tx: Transaction, order_id: int) -> int | None:
    """The card that paid for an order."""
    row = await tx.one(_PAYING, order=order_id)
    return row[0] if row else None


async def bought_in(tx: Transaction, order_id: int) -> list[int]:
    return [card_id for (card_id,) in await tx.all(_BOUGHT, order=order_id)]


async def revoked_of(tx: Transaction, order_id: int) -> Hundredths:
    """What refunds and staff took from the cards bought in an order."""
    ((amount,),) = await tx.all(_REVOKED, order=order_id)
    return Hundredths(amount)


async def figures(tx: Transaction) -> tuple[dict[str, int], dict[str, int]]:
    """By names such as `USD.active`: how many cards, and what they hold; also what was issued, redeemed and revoked.

    What was redeemed is what was issued and is neither on a card nor revoked.
    """
    values: dict[str, int] = defaultdict(int)
    # A redeemed or revoked card has no balance, so these names are free for the redeemed and revoked amounts.
    for name, balance in (await counters.totals(tx, "gift_card_balances.")).items():
        values[name] += balance
        values[f"{name.partition('.')[0]}.redeemed"] -= balance
    for currency, issued in (await counters.totals(tx, "gift_cards_issued.")).items():
        values[f"{currency}.issued"] += issued
        values[f"{currency}.redeemed"] += issued
    for currency, revoked in (await counters.totals(tx, "gift_cards_revoked.")).items():
        values[f"{currency}.revoked"] += revoked
        values[f"{currency}.redeemed"] -= revoked
    return await counters.totals(tx, "gift_cards."), values
