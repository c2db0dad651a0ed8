"""What the ledgers of gift cards and creators add up to."""

from __future__ import annotations

from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import creator_entries, creators, disputes, gift_card_entries, gift_cards, orders
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


async def entered_shares(db: Database) -> dict[int, tuple[int]]:
    """What the entries of creators say of each order that earned something."""
    sums: Counter[int] = Counter()
    for entry in await rows(db, creator_entries):
        if entry["order_id"] is not None:
            sums[entry["order_id"]] += entry["amount"]
    return {order_id: (amount,) for order_id, amount in sums.items()}


async def earned_shares(db: Database) -> dict[int, tuple[int]]:
    """The same from the orders, their refunds and their disputes."""
    placed = {order["id"]: order for order in await rows(db, orders)}
    shares = {creator["id"]: creator["commission"] for creator in await rows(db, creators)}
    lost = await disputed_orders(db)
    earned = {}
    for entry in await rows(db, creator_entries):
        if entry["type"] == "commission":
            order = placed[entry["order_id"]]
            total, left = order["total"], order["total"] - order["refunded_total"]
            unit = 100 if order["currency"] == "JPY" else 1
            whole = unit * half_up((total - (order["tax_total"] or 0)) * shares[entry["creator_id"]], 100_00 * unit)
            assert entry["amount"] == whole
            is_lost = order["id"] in lost
            earned[order["id"]] = (0 if is_lost else unit * half_up(whole * left, total * unit) if total else whole,)
    return earned


async def disputed_orders(db: Database) -> set[int]:
    """Those with a dispute that no later outcome won: one with its name, or one that names none of the order."""
    reports = [it for it in await rows(db, disputes) if it["kind"] != "early_warning"]
    names = {(it["order_id"], it["external_id"]) for it in reports if it["kind"] == "dispute" and it["external_id"]}
    won = [it for it in reports if it["kind"] == "dispute_won"]
    return {
        it["order_id"]
        for it in reports
        if it["kind"] != "dispute_won"
        and not any(
            (by["order_id"], it["at"] <= by["at"]) == (it["order_id"], True)
            and (by["external_id"] == it["external_id"] or (by["order_id"], by["external_id"]) not in names)
            for by in won
        )
    }


def half_up(amount: int, parts: int) -> int:
    return int((Decimal(amount) / parts).quantize(Decimal(1), ROUND_HALF_UP))
