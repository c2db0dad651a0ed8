"""Gift cards as they are listed; `status` uses the stored status."""

from __future__ import annotations

from lootkeep.domain.gift_cards import GiftCard
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.filters import contains, contains_short, equals, equals_each, listed, within
from lootkeep.storage.lists import Listing, Sort, Values
from lootkeep.storage.schema import gift_cards as cards
from lootkeep.storage.totals import counters


async def _total(tx: Transaction, values: Values) -> int | None:
    """There is a total for each currency and status that ever existed."""
    if not values.keys() <= {"currency", "status"}:
        return None
    key = values.get("currency"), values.get("status")
    return sum(
        count
        for name, count in (await counters.totals(tx, "gift_cards.")).items()
        if all(want in (None, part) for want, part in zip(key, name.split("."), strict=True))
    )


# The indexes of the sorts also contain status and currency.
LISTING = Listing(
    cards,
    GiftCard,
    {
        "ids": listed(cards.c.id),
        **equals_each(cards, "customer_id", "order_id", "recipient_email", index="unsorted"),
        "search": contains(cards.c.search_text),
        "search_masked": contains(cards.c.search_text, "search_masked"),
        "search_short": contains_short(cards.c.search_text),
        "search_short_masked": contains_short(cards.c.search_text, "search_short_masked"),
        "currency": equals(cards.c.currency, "currency", None),
        "status": equals(cards.c.stored_status, "status", None),
        **within(cards.c.created_at),
    },
    {
        "created_at": Sort(cards.c.created_at),
        "id": Sort(cards.c.id),
        "balance": Sort(cards.c.balance),
        # A card without expiry comes last.
        "expires_at": Sort(cards.c.expires_at, nulls="largest"),
    },
    _total,
)
