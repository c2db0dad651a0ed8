"""Reading the outbox, and counting everything again from the raw rows to compare with the totals that are kept."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table, select

from lootkeep.domain.orders import STANDING
from lootkeep.kernel.clock import DAY
from lootkeep.storage.database import Database
from lootkeep.storage.query import Query
from lootkeep.storage.tables import (
    buyers,
    counters,
    coupons,
    customers,
    email_campaigns,
    events,
    fraud_checks,
    gift_card_entries,
    gift_cards,
    mails,
    order_items,
    orders,
    products,
    referral_tiers,
    referrals,
    referrers,
    refunds,
    refused_referrals,
    reward_claims,
    sales_rollups,
    spendings,
)

Row = dict[str, Any]
# Everything that is kept, or everything counted again: the same shape, so that a test compares the two.
Totals = dict[str, dict[Any, Any]]

# A counter is named with its day, or with this for all days together.
TOTAL = "total"
_ALL_DAYS = -1
# What analytics keeps, by the length of its blocks.
_LENGTHS = ("quarter", "day", "month", "eight", "year")
_SERIES, _SUMS = ("quarter", "day", "month"), ("day", "month")
_LEVELS = {"all": _SERIES, "country": _SUMS, "method": _SUMS, "product": _SERIES}


def _block(length: str, time: int) -> int:
    moment = datetime.fromtimestamp(time // 1_000_000, UTC)
    if length == "year":
        return moment.year - 1970
    if length == "month":
        return (moment.year - 1970) * 12 + moment.month - 1
    return time // {"quarter": DAY // 96, "day": DAY, "eight": 8 * DAY}[length]


_TABLES = (
    buyers,
    counters,
    coupons,
    customers,
    email_campaigns,
    events,
    fraud_checks,
    gift_card_entries,
    gift_cards,
    mails,
    order_items,
    orders,
    products,
    referral_tiers,
    referrals,
    referrers,
    refunds,
    refused_referrals,
    reward_claims,
    sales_rollups,
    spendings,
)
_ROWS = {table.name: Query(select(table).order_by(*table.primary_key.columns)) for table in _TABLES}


async def rows(db: Database, table: Table) -> list[Row]:
    """Every row of a table as it is stored, by its key."""
    async with db.read() as tx:
        return [dict(zip(table.c.keys(), row, strict=True)) for row in await tx.all(_ROWS[table.name])]


async def outbox(db: Database, prefix: str = "order.") -> list[tuple[str, Row]]:
    """Type and data of the events, in the order in which they were appended."""
    found = await rows(db, events)
    return [(event["type"], json.loads(event["data"])) for event in found if event["type"].startswith(prefix)]


async def sent(db: Database, prefix: str = "order.") -> list[str]:
    """The types alone."""
    return [kind for kind, _ in await outbox(db, prefix)]


async def kept(db: Database) -> Totals:
    """The totals as the deeds have kept them."""
    sums: Counter[tuple[str, int | str]] = Counter()
    for counter in await rows(db, counters):
        if counter["bucket"] < _ALL_DAYS:
            # Blocks of days: `recount.check` compares them.
            continue
        day = TOTAL if counter["bucket"] == _ALL_DAYS else counter["bucket"]
        sums[counter["name"], day] += counter["value"]
    return {
        "counters": {key: value for key, value in sums.items() if value},
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
        "coupons": _picked(await rows(db, coupons), "id", "status", "order_id", "discount_given"),
        "tiers": _picked(await rows(db, referral_tiers), "id", "claims_count"),
        "sales": _picked(await rows(db, products), "id", "sales_count"),
        "refunds": _picked(await rows(db, orders), "id", "refunded_total"),
        "gift cards": _picked(await rows(db, gift_cards), "id", "balance"),
        "figures": await _kept_figures(db),
        "buyers": await _kept_buyers(db),
        "spendings": await _kept_spendings(db),
    }


async def recounted(db: Database, currency: str = "USD") -> Totals:
    """The same, counted again from the orders, referrals, claims and refunds themselves."""
    placed = await rows(db, orders)
    attributed = _judged(await rows(db, referrals), placed)
    return {
        "counters": await _counters(db, placed, attributed, currency),
        "customers": {who["id"]: _spending(who["id"], placed, currency) for who in await rows(db, customers)},
        "referrals": {one["customer_id"]: (one["status"], one["first_order_at"]) for one in attributed},
        "referrers": _referring(attributed, await rows(db, reward_claims)),
        "coupons": {one["id"]: _holding(one["id"], placed) for one in await rows(db, coupons)},
        "tiers": await _claims(db),
        "sales": await _sales(db, placed),
        "refunds": await _given_back(db, placed),
        "gift cards": await _balances(db),
        "figures": await _figures(db, placed),
        "buyers": _buyers(placed),
        "spendings": _spendings(placed),
    }


async def taken(db: Database, *, ignoring: set[int]) -> Counter[int]:
    """How many of each product the orders hold or have sold, but for those that never touched the stock."""
    alive = {order["id"] for order in await rows(db, orders) if order["status"] != "cancelled"} - ignoring
    held: Counter[int] = Counter()
    for line in await rows(db, order_items):
        if line["order_id"] in alive:
            held[line["product_id"]] += line["quantity"]
    return held


def _picked(found: list[Row], key: str, *names: str) -> dict[int, tuple[Any, ...]]:
    return {row[key]: tuple(row[name] for name in names) for row in found}


def _judged(attributed: list[Row], placed: list[Row]) -> list[Row]:
    """The referrals, with state and first order as the orders that stand say."""
    paid_at = defaultdict(list)
    for order in placed:
        if order["status"] in STANDING:
            paid_at[order["customer_id"]].append(order["paid_at"])
    firsts = {one["customer_id"]: min(paid_at[one["customer_id"]], default=None) for one in attributed}
    return [
        one
        | {
            "status": "pending" if firsts[one["customer_id"]] is None else "successful",
            "first_order_at": firsts[one["customer_id"]],
        }
        for one in attributed
    ]


async def _counters(
    db: Database, placed: list[Row], attributed: list[Row], currency: str
) -> dict[tuple[str, int | str], int]:
    sums: Counter[tuple[str, int | str]] = Counter()
    dated = [(f"orders.{order['status']}", order["created_at"]) for order in placed]
    dated += [(f"referrals.{one['status']}", one["referred_at"]) for one in attributed]
    dated += [(f"gift_cards.{_shelf(card)}", card["created_at"]) for card in await rows(db, gift_cards)]
    dated += [("customers.all", who["created_at"]) for who in await rows(db, customers)]
    dated += [("products.all", one["created_at"]) for one in await rows(db, products) if one["deleted_at"] is None]
    dated += [("email_campaigns.all", one["created_at"]) for one in await rows(db, email_campaigns)]
    for check in await rows(db, fraud_checks):
        is_reviewed = "reviewed" if check["is_reviewed"] else "open"
        dated.append((f"fraud.{check['risk_level']}.{check['action_taken']}.{is_reviewed}", check["created_at"]))
        for signal in json.loads(check["signals"]):
            sums[f"fraud_signals.{signal}.fired", TOTAL] += 1
            if check["review_outcome"] in ("fraud", "legitimate"):
                sums[f"fraud_signals.{signal}.{check['review_outcome']}", TOTAL] += 1
    for name, time in dated:
        sums.update([(name, TOTAL), (name, time // DAY)])
    sums["claims.made", TOTAL] = len(await rows(db, reward_claims))
    sums["refused_referrals.made", TOTAL] = len(await rows(db, refused_referrals))
    sums["referral_coupons.value", TOTAL] = sum(
        order["discount_total"]
        for order in placed
        if order["coupon_id"] and order["paid_at"] is not None and order["currency"] == currency
    )
    for name, value in await _values(db):
        sums[name, TOTAL] += value
    return {key: value for key, value in sums.items() if value}


def _shelf(card: Row) -> str:
    return f"{card['currency']}.{card['kept_status']}"


async def _values(db: Database) -> list[tuple[str, int]]:
    """What the cards hold, and what was done with what was on them."""
    found = await rows(db, gift_cards)
    currencies = {card["id"]: card["currency"] for card in found}
    balances = await _balances(db)
    values = [(f"gift_card_value.{_shelf(card)}", balances[card["id"]][0]) for card in found]
    sums = {"issue": ("issued", 1), "redeem": ("redeemed", -1), "refund": ("redeemed", -1), "revoke": ("revoked", -1)}
    for entry in await rows(db, gift_card_entries):
        name, sign = sums[entry["type"]]
        values.append((f"gift_card_value.{currencies[entry['gift_card_id']]}.{name}", sign * entry["amount"]))
    return values


async def _balances(db: Database) -> dict[int, tuple[int]]:
    """The sum of each ledger, whose every row says what was left then."""
    left: Counter[int] = Counter()
    for entry in await rows(db, gift_card_entries):
        left[entry["gift_card_id"]] += entry["amount"]
        assert entry["balance_after"] == left[entry["gift_card_id"]] >= 0
    return {card["id"]: (left[card["id"]],) for card in await rows(db, gift_cards)}


def _spending(customer_id: int, placed: list[Row], currency: str) -> tuple[Any, ...]:
    paid = [order for order in placed if order["customer_id"] == customer_id and order["paid_at"] is not None]
    times = [order["paid_at"] for order in paid]
    return (
        sum(order["status"] in STANDING for order in paid),
        sum(order["total"] - order["refunded_total"] for order in paid if order["currency"] == currency),
        min(times, default=None),
        max(times, default=None),
    )


def _referring(attributed: list[Row], claimed: list[Row]) -> dict[int, tuple[int, ...]]:
    brought = defaultdict(list)
    for one in attributed:
        brought[one["referrer_id"]].append(one)
    claims = Counter(claim["customer_id"] for claim in claimed)
    return {
        referrer: (
            len(ones),
            sum(one["status"] == "successful" for one in ones),
            claims[referrer],
            max(one["referred_at"] for one in ones),
            max(one["first_order_at"] or 0 for one in ones),
        )
        for referrer, ones in brought.items()
    }


def _holding(coupon_id: int, placed: list[Row]) -> tuple[Any, ...]:
    """What the orders say of a coupon: at most one of them has it, unless it was cancelled."""
    holders = [order for order in placed if order["coupon_id"] == coupon_id and order["status"] != "cancelled"]
    if not holders:
        return ("available", None, 0)
    (order,) = holders
    return ("reserved" if order["paid_at"] is None else "used", order["id"], order["discount_total"])


async def _claims(db: Database) -> dict[int, tuple[int]]:
    made = Counter(claim["tier_id"] for claim in await rows(db, reward_claims))
    return {tier["id"]: (made[tier["id"]],) for tier in await rows(db, referral_tiers)}


async def _sales(db: Database, placed: list[Row]) -> dict[int, tuple[int]]:
    paid = {order["id"] for order in placed if order["paid_at"] is not None}
    sold: Counter[int] = Counter()
    for line in await rows(db, order_items):
        if line["order_id"] in paid:
            sold[line["product_id"]] += line["quantity"]
    return {product["id"]: (sold[product["id"]],) for product in await rows(db, products)}


async def _given_back(db: Database, placed: list[Row]) -> dict[int, tuple[int]]:
    given: Counter[int] = Counter()
    for refund in await rows(db, refunds):
        given[refund["order_id"]] += refund["amount"]
    return {order["id"]: (given[order["id"]],) for order in placed}


async def _kept_figures(db: Database) -> dict[Any, int]:
    sums: Counter[Any] = Counter()
    names = [name for name in sales_rollups.c.keys() if name not in sales_rollups.primary_key.columns]  # noqa: SIM118
    for row in await rows(db, sales_rollups):
        for name in names:
            where = (row["dimension"], row["key"], _LENGTHS[row["level"]], row["block"], row["currency"])
            sums[*where, name] += row[name]
    return {key: value for key, value in sums.items() if value}


async def _figures(db: Database, placed: list[Row]) -> dict[Any, int]:
    sums: Counter[Any] = Counter()

    def add(dimension: str, key: Any, time: int, currency: str, **values: int) -> None:
        for length in _LEVELS[dimension]:
            for name, value in values.items():
                sums[dimension, str(key or ""), length, _block(length, time), currency, name] += value

    by_id = {order["id"]: order for order in placed}
    for order in by_id.values():
        _add_order(add, order, [line for line in await rows(db, order_items) if line["order_id"] == order["id"]])
    for refund in await rows(db, refunds):
        add("all", "", refund["created_at"], by_id[refund["order_id"]]["currency"], refunds=refund["amount"])
    for customer_id in {order["customer_id"] for order in placed}:
        first = min((o["paid_at"] for o in placed if o["customer_id"] == customer_id and o["paid_at"]), default=None)
        if first is not None:
            add("all", "", first, "", new_customers=1)
    return {key: value for key, value in sums.items() if value}


def _add_order(add: Any, order: Row, lines: list[Row]) -> None:
    at, currency = order["paid_at"], order["currency"]
    by_product: dict[int, list[Row]] = defaultdict(list)
    for line in lines:
        by_product[line["product_id"]].append(line)
    if at is not None:
        money = {"gross": order["total"], "discounts": order["discount_total"], "gift_cards": order["gift_card_total"]}
        add("all", "", at, currency, orders=1, items=sum(line["quantity"] for line in lines), **money)
        add("country", order["billing_country"], at, currency, orders=1, gross=order["total"])
        add("method", order["payment_method"], at, currency, orders=1, gross=order["total"])
        for product_id, its in by_product.items():
            sold = {"items": sum(line["quantity"] for line in its), "gross": sum(line["total"] for line in its)}
            add("product", product_id, at, currency, orders=1, **sold)
    if order["completed_at"] is not None:
        for where in [("all", ""), *(("product", product_id) for product_id in by_product)]:
            add(*where, order["completed_at"], currency, completed_orders=1)
    if order["status"] == "refunded":
        add("all", "", order["refunded_at"], currency, refunded_orders=1)
        for product_id, its in by_product.items():
            total = sum(line["total"] for line in its)
            add("product", product_id, order["refunded_at"], currency, refunds=total, refunded_orders=1)


async def _kept_buyers(db: Database) -> dict[Any, set[int]]:
    found: dict[Any, set[int]] = defaultdict(set)
    for row in await rows(db, buyers):
        for number, byte in enumerate(row["bits"]):
            for bit in range(8):
                if byte >> bit & 1:
                    place = row["chunk"] * 16_384 + number * 8 + bit
                    found[_LENGTHS[row["level"]], row["block"]].add(place * 4 + row["shard"])
    return dict(found)


def _buyers(placed: list[Row]) -> dict[Any, set[int]]:
    found: dict[Any, set[int]] = defaultdict(set)
    for order in placed:
        if order["paid_at"] is not None:
            for length in ("day", "eight", "month"):
                found[length, _block(length, order["paid_at"])].add(order["customer_id"])
    return dict(found)


async def _kept_spendings(db: Database) -> dict[Any, tuple[int, int]]:
    found = {
        (_LENGTHS[row["level"]], row["block"], row["customer_id"], row["currency"]): (row["orders"], row["spent"])
        for row in await rows(db, spendings)
    }
    return {key: sums for key, sums in found.items() if any(sums)}


def _spendings(placed: list[Row]) -> dict[Any, tuple[int, int]]:
    counted: Counter[Any] = Counter()
    spent: Counter[Any] = Counter()
    for order in placed:
        if order["paid_at"] is not None:
            for length in ("month", "year"):
                key = (length, _block(length, order["paid_at"]), order["customer_id"], order["currency"])
                counted[key] += order["status"] != "refunded"
                spent[key] += order["total"] - order["refunded_total"]
    return {key: (counted[key], spent[key]) for key in counted | spent if counted[key] or spent[key]}
