"""What orders, refunds, referrals and claims come to for customers, referrers, coupons, tiers and products."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from lootkeep.domain.orders import STANDING
from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import order_items, orders, products, referral_tiers, refunds, reward_claims
from tests.recount.stored import Row, rows


async def taken(db: Database, *, ignoring: set[int]) -> Counter[int]:
    """How many of each product the orders hold or have sold, but for those that never touched the stock."""
    alive = {order["id"] for order in await rows(db, orders) if order["status"] != "cancelled"} - ignoring
    held: Counter[int] = Counter()
    for line in await rows(db, order_items):
        if line["order_id"] in alive:
            held[line["product_id"]] += line["quantity"]
    return held


def judged(attributed: list[Row], placed: list[Row], labelled: list[Row]) -> list[Row]:
    """The referrals, with state and first order as the orders that count say: confirmed frauds do not."""
    frauds = {label["order_id"] for label in labelled if label["kind"] == "customer"}
    paid_at = defaultdict(list)
    for order in placed:
        if order["status"] in STANDING and order["id"] not in frauds:
            paid_at[order["customer_id"]].append(order["paid_at"])
    firsts = {row["customer_id"]: min(paid_at[row["customer_id"]], default=None) for row in attributed}
    return [
        row
        | {
            "status": "pending" if firsts[row["customer_id"]] is None else "successful",
            "first_order_at": firsts[row["customer_id"]],
        }
        for row in attributed
    ]


def spending_of(customer_id: int, placed: list[Row], currency: str) -> tuple[Any, ...]:
    paid = [order for order in placed if order["customer_id"] == customer_id and order["paid_at"] is not None]
    times = [order["paid_at"] for order in paid]
    return (
        sum(order["status"] in STANDING for order in paid),
        sum(order["total"] - order["refunded_total"] for order in paid if order["currency"] == currency),
        min(times, default=None),
        max(times, default=None),
    )


def referring(attributed: list[Row], claimed: list[Row]) -> dict[int, tuple[int, ...]]:
    brought = defaultdict(list)
    for row in attributed:
        brought[row["referrer_id"]].append(row)
    claims = Counter(claim["customer_id"] for claim in claimed)
    return {
        referrer: (
            len(ones),
            sum(row["status"] == "successful" for row in ones),
            claims[referrer],
            max(row["referred_at"] for row in ones),
            max(row["first_order_at"] or 0 for row in ones),
        )
        for referrer, ones in brought.items()
    }


def holding_of(coupon_id: int, placed: list[Row]) -> tuple[Any, ...]:
    """How many orders have used a coupon, and how many reserve it."""
    holders = [order for order in placed if order["coupon_id"] == coupon_id and order["status"] != "cancelled"]
    used = sum(order["paid_at"] is not None for order in holders)
    return (used, len(holders) - used)


def state_of(coupon: Row, placed: list[Row]) -> str:
    """Whether it is used up; the other states are of time."""
    state: str = coupon["stored_state"]
    if state not in ("active", "used_up") or coupon["max_uses"] is None:
        return state
    return "used_up" if sum(holding_of(coupon["id"], placed)) >= coupon["max_uses"] else "active"


async def claims_of_tiers(db: Database) -> dict[int, tuple[int]]:
    claims = Counter(claim["tier_id"] for claim in await rows(db, reward_claims))
    return {tier["id"]: (claims[tier["id"]],) for tier in await rows(db, referral_tiers)}


async def sales_of_products(db: Database, placed: list[Row]) -> dict[int, tuple[int]]:
    paid = {order["id"] for order in placed if order["paid_at"] is not None}
    sold: Counter[int] = Counter()
    for line in await rows(db, order_items):
        if line["order_id"] in paid:
            sold[line["product_id"]] += line["quantity"]
    return {product["id"]: (sold[product["id"]],) for product in await rows(db, products)}


async def given_back(db: Database, placed: list[Row]) -> dict[int, tuple[int]]:
    given: Counter[int] = Counter()
    for refund in await rows(db, refunds):
        given[refund["order_id"]] += refund["amount"]
    return {order["id"]: (given[order["id"]],) for order in placed}
