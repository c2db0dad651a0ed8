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


async def values_of_cards(db: Database) -> Counter[str]:
    """What the cards hold, what they were issued with and what was revoked."""
    sums: Counter[str] = Counter()
    cards = {card["id"]: card for card in await rows(db, gift_cards)}
    for card in cards.values():
        sums[f"gift_card_balances.{shelf(card)}"] += card["balance"]
        sums[f"gift_cards_issued.{card['currency']}"] += card["initial_balance"]
    for entry in await rows(db, gift_card_entries):
        if entry["type"] == "revoke":
            sums[f"gift_cards_revoked.{cards[entry['gift_card_id']]['currency']}"] -= entry["amount"]
    return sums
