"""Every maintained sum, one row each, and the rows it is computed from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sqlalchemy import FromClause, case, func, select

from lootkeep.kernel.clock import SECOND
from lootkeep.storage import schema
from lootkeep.storage.schema import gift_card_entries, order_items, orders, refunds, support_tickets
from lootkeep.storage.totals.total import DAYS, QUARTERS, Constant, SumTable, TextKey, Total

_NONE = Constant("")
COUNTERS = SumTable(schema.counters)
TICKETS = SumTable(schema.ticket_figures)
SALES = SumTable(schema.sales_rollups)

# What remains of the tax of an order after its refunds, as `Order.tax_left`; halves are rounded up.
_whole = case((orders.c.total == 0, 1), else_=orders.c.total)
TAX_LEFT = func.coalesce(orders.c.tax_total, 0) - (
    2 * func.coalesce(orders.c.tax_total, 0) * orders.c.refunded_total + _whole
) // (2 * _whole)
# An order counts once for a product, regardless of the number of lines.
_sold = (
    select(
        order_items.c.product_id,
        *(orders.c[name] for name in ("paid_at", "completed_at", "refunded_at", "status", "currency")),
        func.sum(order_items.c.quantity).label("quantity"),
        func.sum(order_items.c.total).label("total"),
    )
    .select_from(orders.join(order_items, order_items.c.order_id == orders.c.id))
    .group_by(orders.c.id, order_items.c.product_id)
)
_refunded = select(refunds.c.amount, refunds.c.created_at, orders.c.currency, (-refunds.c.tax).label("tax")).join_from(
    refunds, orders
)
_revoked = (
    select((-gift_card_entries.c.amount).label("amount"), schema.gift_cards.c.currency)
    .join_from(gift_card_entries, schema.gift_cards)
    .where(gift_card_entries.c.type == "revoke")
)
_tickets = select(
    *(support_tickets.c[name] for name in ("assigned_to_id", "status", "priority", "category")),
    ((support_tickets.c.first_response_at - support_tickets.c.created_at) // SECOND).label("response_seconds"),
    ((support_tickets.c.resolved_at - support_tickets.c.created_at) // SECOND).label("resolution_seconds"),
)
_keys = select(
    *(schema.product_keys.c[name] for name in ("product_id", "batch_id", "status")), func.count().label("quantity")
).group_by(schema.product_keys.c.product_id, schema.product_keys.c.batch_id, schema.product_keys.c.status)
SOURCES: dict[str, FromClause] = {
    "orders": select(*orders.c, TAX_LEFT.label("tax_left")).subquery(),
    "sold products": _sold.subquery(),
    "refunds": _refunded.subquery(),
    "customers": schema.customers,
    "products": select(schema.products.c.id).where(schema.products.c.deleted_at.is_(None)).subquery(),
    "keys": _keys.subquery(),
    "campaigns": schema.email_campaigns,
    "referrals": schema.referrals,
    "refused referrals": schema.refused_referrals,
    "claims": schema.reward_claims,
    "coupons": schema.coupons,
    "creator entries": schema.creator_entries,
    "gift cards": schema.gift_cards,
    "revoked values": _revoked.subquery(),
    "fraud checks": schema.fraud_checks,
    "tickets": _tickets.subquery(),
}


def _count(source: str, *name: str, adds: str | int = 1, **options: Any) -> Total:
    return Total(COUNTERS, source, {"name": TextKey(name)}, {"value": adds}, **options)


def _tickets_with(required: tuple[str, ...] = (), **adds: str | int) -> Total:
    cell = {"agent": "assigned_to_id", **{name: name for name in ("status", "priority", "category")}}
    return Total(TICKETS, "tickets", cell, adds, required=required)


def _sales(
    dimension: str,
    at: str,
    key: str | TextKey = _NONE,
    *,
    of: str = "orders",
    currency: str = "currency",
    where: Any = None,
    required: Any = (),
    **adds: Any,
) -> Total:
    """The whole store and each product have series; the others only sums, whose ends are added up from the orders."""
    levels = (QUARTERS, DAYS) if dimension in ("all", "product") else (DAYS,)
    parts: dict[str, str | TextKey] = {"dimension": Constant(dimension), "key": key, "currency": currency}
    return Total(SALES, of, parts, adds, at=at, levels=levels, where=where or {}, required=required)


def _declared() -> Iterator[Total]:
    yield _count("orders", "orders.", "status")
    used = ("coupon_origin", "paid_at")
    yield _count("orders", "coupon_discounts.", "coupon_origin", "currency", adds="discount_total", required=used)
    yield _count("coupons", "coupons.", "origin")
    yield _count("creator entries", "creator_balances.", "currency", adds="amount")
    yield _count("referrals", "referrals.", "status")
    yield _count("refused referrals", "refused_referrals.made")
    yield _count("claims", "claims.made")
    yield _count("customers", "customers.all")
    yield _count("products", "products.all")
    yield _count("keys", "keys.", "product_id", "batch_id", "status", adds="quantity")
    yield _count("campaigns", "email_campaigns.all")
    yield _count("gift cards", "gift_cards.", "currency", "stored_status")
    yield _count("gift cards", "gift_card_balances.", "currency", "stored_status", adds="balance")
    yield _count("gift cards", "gift_cards_issued.", "currency", adds="initial_balance")
    yield _count("revoked values", "gift_cards_revoked.", "currency", adds="amount")
    yield _count("fraud checks", "fraud.", "risk_level", "action_taken", "is_reviewed", "is_latest")

    yield _tickets_with(tickets=1)
    yield _tickets_with(("response_seconds",), responded=1, response_seconds="response_seconds")
    yield _tickets_with(("resolution_seconds",), resolved=1, resolution_seconds="resolution_seconds")


def _of_sales() -> Iterator[Total]:
    money = {"gross": "total", "discounts": "discount_total", "gift_cards": "gift_card_total"}
    is_refunded = {"status": "refunded"}
    yield _sales("all", "paid_at", orders=1, **money)
    yield _sales("all", "paid_at", required=("tax_total",), tax="tax_total")
    yield _sales("all", "paid_at", of="sold products", items="quantity")
    yield _sales("all", "completed_at", completed_orders=1)
    yield _sales("all", "refunded_at", where=is_refunded, refunded_orders=1)
    yield _sales("all", "created_at", of="refunds", refunds="amount", tax="tax")
    yield _sales("all", "first_order_at", of="customers", currency=_NONE, new_customers=1)
    yield _sales("status", "created_at", "status", currency=_NONE, orders=1)
    judged = TextKey(("", "risk_level", "action_taken", "is_latest"))
    yield _sales("check", "created_at", judged, of="fraud checks", currency=_NONE, orders=1)
    yield _sales("country", "paid_at", "billing_country", orders=1, gross="total")
    yield _sales("tax", "paid_at", "tax_country", orders=1, gross="total", refunds="refunded_total", tax="tax_left")
    yield _sales("method", "paid_at", "payment_method", orders=1, gross="total")
    sold = {"key": "product_id", "of": "sold products"}
    yield _sales("product", "paid_at", **sold, orders=1, items="quantity", gross="total")
    yield _sales("product", "completed_at", **sold, completed_orders=1)
    # A partial refund of an order does not count for its products: only a full refund does.
    yield _sales("product", "refunded_at", **sold, where=is_refunded, refunded_orders=1, refunds="total")


TOTALS = (*_declared(), *_of_sales())
TOTALS_OF: dict[str, list[Total]] = defaultdict(list)
for _total in TOTALS:
    TOTALS_OF[_total.source].append(_total)
