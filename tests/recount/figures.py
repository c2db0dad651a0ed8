"""The figures that analytics keeps, and the same counted again."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from lootkeep.kernel.clock import DAY
from lootkeep.storage.engine.database import Database
from lootkeep.storage.schema import fraud_checks, order_items, refunds, sales_rollups
from tests.recount.ledgers import half_up
from tests.recount.stored import Row, rows

# What analytics keeps, by the length of its blocks.
_LENGTHS = ("quarter", "day")
_SERIES, _SUMS = ("quarter", "day"), ("day",)
_LEVELS = {
    "all": _SERIES,
    "status": _SUMS,
    "check": _SUMS,
    "country": _SUMS,
    "tax": _SUMS,
    "method": _SUMS,
    "product": _SERIES,
}


def _block(length: str, time: int) -> int:
    return time // {"quarter": DAY // 96, "day": DAY}[length]


async def kept_figures(db: Database) -> dict[Any, int]:
    sums: Counter[Any] = Counter()
    names = [name for name in sales_rollups.c.keys() if name not in sales_rollups.primary_key.columns]  # noqa: SIM118
    for row in await rows(db, sales_rollups):
        for name in names:
            where = (row["dimension"], row["key"], _LENGTHS[row["level"]], row["block"], row["currency"])
            sums[*where, name] += row[name]
    return {key: value for key, value in sums.items() if value}


async def recounted_figures(db: Database, placed: list[Row]) -> dict[Any, int]:
    sums: Counter[Any] = Counter()

    def add(dimension: str, key: Any, time: int, currency: str, **values: int) -> None:
        for length in _LEVELS[dimension]:
            for name, value in values.items():
                sums[dimension, str(key or ""), length, _block(length, time), currency, name] += value

    by_id = {order["id"]: order for order in placed}
    lines: dict[int, list[Row]] = defaultdict(list)
    for line in await rows(db, order_items):
        lines[line["order_id"]].append(line)
    for order in by_id.values():
        _add_order(add, order, lines[order["id"]])
    refunded: Counter[int] = Counter()
    for refund in sorted(await rows(db, refunds), key=lambda refund: refund["id"]):
        order = by_id[refund["order_id"]]
        before, after = refunded[order["id"]], refunded[order["id"]] + refund["amount"]
        refunded[order["id"]] = after
        tax = taxed(order, before) - taxed(order, after)
        add("all", "", refund["created_at"], order["currency"], refunds=refund["amount"], tax=tax)
    for check in await rows(db, fraud_checks):
        judged = check["risk_level"], check["action_taken"], str(check["is_latest"]).lower()
        add("check", ".".join(judged), check["created_at"], "", orders=1)
    for customer_id in {order["customer_id"] for order in placed}:
        first = min((o["paid_at"] for o in placed if o["customer_id"] == customer_id and o["paid_at"]), default=None)
        if first is not None:
            add("all", "", first, "", new_customers=1)
    return {key: value for key, value in sums.items() if value}


def taxed(order: Row, refunded: int) -> int:
    """The tax in what was refunded of an order."""
    return half_up((order["tax_total"] or 0) * refunded, order["total"]) if order["total"] else 0


def _add_order(add: Any, order: Row, lines: list[Row]) -> None:
    at, currency = order["paid_at"], order["currency"]
    by_product: dict[int, list[Row]] = defaultdict(list)
    for line in lines:
        by_product[line["product_id"]].append(line)
    add("status", order["status"], order["created_at"], "", orders=1)
    if at is not None:
        money = {"gross": order["total"], "discounts": order["discount_total"], "gift_cards": order["gift_card_total"]}
        money["tax"] = order["tax_total"] or 0
        add("all", "", at, currency, orders=1, items=sum(line["quantity"] for line in lines), **money)
        add("country", order["billing_country"], at, currency, orders=1, gross=order["total"])
        left = money["tax"] - taxed(order, order["refunded_total"])
        tax = {"gross": order["total"], "refunds": order["refunded_total"], "tax": left}
        add("tax", order["tax_country"], at, currency, orders=1, **tax)
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
