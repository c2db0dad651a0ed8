"""Reading the outbox, and counting everything again from the raw rows to compare with the maintained totals."""

from __future__ import annotations

from typing import Any

from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import (
    coupons,
    customers,
    gift_cards,
    labels,
    orders,
    products,
    referral_tiers,
    referrals,
    referrers,
    reward_claims,
)
from tests.recount.counting import kept_counters, recounted_counters
from tests.recount.figures import kept_figures, recounted_figures
from tests.recount.keys import stocks_of_keys
from tests.recount.ledgers import balances_of_cards, earned_shares, entered_shares
from tests.recount.operations import (
    claims_of_tiers,
    given_back,
    holding_of,
    judged,
    referring,
    sales_of_products,
    spending_of,
    state_of,
    taken,
)
from tests.recount.stored import Row, outbox, rows, sent

__all__ = ["maintained", "outbox", "recounted", "rows", "sent", "taken"]

# Everything that is maintained, or everything recounted: the same shape, so that a test compares the two.
Totals = dict[str, dict[Any, Any]]


async def maintained(db: Database) -> Totals:
    """The totals as the operations maintained them."""
    return {
        "counters": await kept_counters(db),
        "customers": _picked(
            await rows(db, customers), "id", "orders_count", "total_spent", "first_order_at", "last_order_at"
        ),
        "referrals": _picked(await rows(db, referrals), "customer_id", "status", "first_order_at"),
        "referrers": _picked(
            await rows(db, referrers),
            "customer_id",
            "total_referrals",
            "successful_referrals",
            "rewards_claimed",
            "total_reached_at",
            "successful_reached_at",
        ),
        "coupons": _picked(await rows(db, coupons), "id", "uses_count", "reserved_count"),
        "states of coupons": _picked(await rows(db, coupons), "id", "stored_state"),
        "tiers": _picked(await rows(db, referral_tiers), "id", "claims_count"),
        "sales": _picked(await rows(db, products), "id", "sales_count"),
        "keys": _picked(
            [row for row in await rows(db, products) if row["delivery_type"] == "keys"],
            "id",
            "keys_available",
            "keys_reserved",
            "stock",
        ),
        "refunds": _picked(await rows(db, orders), "id", "refunded_total"),
        "gift cards": _picked(await rows(db, gift_cards), "id", "balance"),
        "shares of creators": await entered_shares(db),
        "figures": await kept_figures(db),
    }


async def recounted(db: Database, currency: str = "USD") -> Totals:
    """The same, counted again from the orders, referrals, claims and refunds themselves."""
    placed = await rows(db, orders)
    attributed = judged(await rows(db, referrals), placed, await rows(db, labels))
    return {
        "counters": await recounted_counters(db, placed, attributed),
        "customers": {who["id"]: spending_of(who["id"], placed, currency) for who in await rows(db, customers)},
        "referrals": {row["customer_id"]: (row["status"], row["first_order_at"]) for row in attributed},
        "referrers": referring(attributed, await rows(db, reward_claims)),
        "coupons": {row["id"]: holding_of(row["id"], placed) for row in await rows(db, coupons)},
        "states of coupons": {row["id"]: (state_of(row, placed),) for row in await rows(db, coupons)},
        "tiers": await claims_of_tiers(db),
        "sales": await sales_of_products(db, placed),
        "keys": await stocks_of_keys(db, placed),
        "refunds": await given_back(db, placed),
        "gift cards": await balances_of_cards(db),
        "shares of creators": await earned_shares(db),
        "figures": await recounted_figures(db, placed),
    }


def _picked(records: list[Row], key: str, *names: str) -> dict[int, tuple[Any, ...]]:
    return {row[key]: tuple(row[name] for name in names) for row in records}
