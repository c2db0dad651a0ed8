"""Lists of orders, each with its customer and fraud check."""

from __future__ import annotations

from typing import Any, get_args

from sqlalchemy import BigInteger, bindparam, select, union

from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel.search import order_id_in
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.filters import (
    Filter,
    at_least,
    at_most,
    contains,
    contains_short,
    equals,
    listed,
    subquery,
    term_filters,
    within,
)
from lootkeep.storage.lists import ByDay, Counted, Listing, Sort, Values
from lootkeep.storage.orders.details import COLUMNS, JOINS, order_row
from lootkeep.storage.schema import customers, order_items, orders
from lootkeep.storage.totals import by_day as by_day_db

_OF_EMAIL = select(customers.c.id).where(customers.c.email == bindparam("wanted_email")).scalar_subquery()
_WITH_PRODUCT = select(order_items.c.order_id).where(order_items.c.product_id == bindparam("wanted_product_id"))


def _found_by(customer: Filter) -> Filter:
    """By the customer's name or e-mail, the player, or a whole number or id of the order."""
    whose = select(customers.c.id).where(customer.clause(is_indexed=True))
    exact = bindparam("wanted_exact", type_=orders.c.external_id.type)
    matches = union(
        select(orders.c.id).where(orders.c.customer_id.in_(whose)),
        select(orders.c.id).where(orders.c.id == bindparam("wanted_number", type_=BigInteger)),
        select(orders.c.id).where(orders.c.external_id == exact),
        select(orders.c.id).where(orders.c.transaction_id == exact),
        select(orders.c.id).where(orders.c.player_id == exact),
        select(orders.c.id).where(orders.c.player_name == exact),
    )
    return subquery(orders.c.id, matches)


def _search(term: str) -> dict[str, Any]:
    """Part of the customer's name or e-mail, or a complete id or order number."""
    return term_filters(term) | {"exact": term, "number": order_id_in(term) or 0}


def _counters(values: Values) -> list[str]:
    return ["orders." + status for status in get_args(OrderStatus) if values.get("status", status) == status]


async def _by_day(tx: Transaction, values: Values) -> list[tuple[int, int]]:
    return await by_day_db.counts(tx, "status", values.get("status"))


LISTING = Listing(
    orders,
    order_row,
    {
        "ids": listed(orders.c.id),
        "external_id": equals(orders.c.external_id, "external_id", "unsorted"),
        "customer_id": equals(orders.c.customer_id, "customer_id"),
        "email": Filter(lambda customer_id: customer_id == _OF_EMAIL, orders.c.customer_id, "sorted"),
        "coupon_code": equals(orders.c.coupon_code, "coupon_code"),
        "search": _found_by(contains(customers.c.search_text)),
        "search_masked": _found_by(contains(customers.c.search_text, "search_masked")),
        "search_short": _found_by(contains_short(customers.c.search_text)),
        "search_short_masked": _found_by(contains_short(customers.c.search_text, "search_short_masked")),
        "product_id": subquery(orders.c.id, _WITH_PRODUCT),
        "risk_level": equals(orders.c.risk_level, "risk_level"),
        "country": equals(orders.c.billing_country, "country"),
        "payment_method": equals(orders.c.payment_method, "payment_method"),
        "status": equals(orders.c.status, "status"),
        "min_total": at_least(orders.c.total, "min_total"),
        "max_total": at_most(orders.c.total, "max_total"),
        **within(orders.c.created_at),
    },
    {
        "created_at": Sort(orders.c.created_at),
        "id": Sort(orders.c.id),
        "paid_at": Sort(orders.c.paid_at, nulls="smallest"),
        "total": Sort(orders.c.total),
    },
    Counted(_counters, {"status"}),
    ByDay(_by_day, {"status"}),
    columns=COLUMNS,
    joins=JOINS,
    search=_search,
)
