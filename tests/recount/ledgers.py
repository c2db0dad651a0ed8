"""What the ledgers of gift cards add up to."""

from __future__ import annotations

from collections import Counter

from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import gift_card_entries, gift_cards
from tests.recount.stored import Row, rows


def shelf(card: Row) -> str:
    return f"{card['currency']}.{card['stored_status']}"


async def balances_of_cards(db: Database) -> dict[int, tuple[int]]:
    """The sum of each ledger, whose every row says what was left then."""
    left: Counter[int] = Counter()
    for entry in await rows(db, gift_card_entries):
        left[entry["gift_card_id"]] += entry["amount"]
        assert entry["balance_after"] == left[entry["gift_card_id"]] >= 0
    return {card["id"]: (left[card["id"]],) for card in await rows(db, gift_cards)}
