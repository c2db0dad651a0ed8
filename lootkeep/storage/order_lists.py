"""Orders with their customers, fraud checks and lines, one by one and as a list."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, get_args

from sqlalchemy import BigInteger, bindparam, cast, select, union

from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import Order, OrderCheck, OrderDetails, OrderItem, OrderStatus
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import (
    Counted,
    Filter,
    Join,
    Listing,
    Sort,
    Values,
    at_least,
    at_most,
    contains,
    contains_short,
    equals,
    subquery,
    term_filters,
    within,
)
from lootkeep.storage.rows import columns_of, one_of
from lootkeep.storage.schema import customers, fraud_checks, order_items, orders

_NUMBER = re.compile(r"(?:ord-)?0*([0-9]{1,18})", re.IGNORECASE)
_OF_EMAIL = select(customers.c.id).where(customers.c.email == bindparam("wanted_email")).scalar_subquery()
_WITH_PRODUCT = select(order_items.c.order_id).where(order_items.c.product_id == bindparam("wanted_product_id"))


def _found_by(customer: Filter) -> Filter:
    """By the customer's name or e-mail, the order number, the store's own id, or the payment provider's id."""
    whose = select(customers.c.id).where(customer.clause(is_indexed=True))
    exact = bindparam("wanted_exact", type_=orders.c.external_id.type)
    matches = union(
        select(orders.c.id).where(orders.c.customer_id.in_(whose)),
        select(orders.c.id).where(orders.c.id == bindparam("wanted_number", type_=BigInteger)),
        select(orders.c.id).where(orders.c.external_id == exact),
        select(orders.c.id).where(orders.c.transaction_id == exact),
    )
    return subquery(orders.c.id, matches)


def _search(term: str) -> dict[str, Any]:
    """Part of the customer's name or e-mail, or a complete id or order number."""
    number = _NUMBER.fullmatch(term)
    return term_filters(term) | {"exact": term, "number": int(number[1]) if number else 0}


def _counters(values: Values) -> list[str]:
    return ["orders." + status for status in get_args(OrderStatus) if values.get("status", status) == status]


class OrderRow(NamedTuple):
    """An order without its lines."""

    order: Order
    customer: Customer
    check: OrderCheck | None


_CUSTOMER = Join(customers, customers.c.id == orders.c.customer_id)
_CHECK = Join(fraud_checks, fraud_checks.c.order_id == orders.c.id, is_optional=True)
_COLUMNS = (*columns_of(orders, Order), *columns_of(customers, Customer), *columns_of(fraud_checks, OrderCheck))
_TO_CUSTOMER = len(Order.__struct_fields__)
_TO_CHECK = _TO_CUSTOMER + len(Customer.__struct_fields__)


def _row(*values: Any) -> OrderRow:
    order, customer, check = values[:_TO_CUSTOMER], values[_TO_CUSTOMER:_TO_CHECK], values[_TO_CHECK:]
    return OrderRow(Order(*order), Customer(*customer), None if check[0] is None else OrderCheck(*check))


LISTING = Listing(
    orders,
    _row,
    {
        "customer_id": equals(orders.c.customer_id, "customer_id"),
        "email": Filter(lambda customer_id: customer_id == _OF_EMAIL, orders.c.customer_id, "sorted"),
        "coupon_code": equals(orders.c.coupon_code, "coupon_code"),
        "search": _found_by(contains(customers.c.search_text)),
        "search_short": _found_by(contains_short(customers.c.search_text)),
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
    columns=_COLUMNS,
    joins=(_CUSTOMER, _CHECK),
    search=_search,
)


# A row for each line: few, so that repeating the order costs less than a second statement. SQLite would plan the joins
# again for each id, were it not hidden in the CAST.
_THIS = Query(
    select(*_COLUMNS, *columns_of(order_items, OrderItem))
    .select_from(orders)
    .join(customers, _CUSTOMER.on)
    .outerjoin(fraud_checks, _CHECK.on)
    .outerjoin(order_items, order_items.c.order_id == orders.c.id)
    .where(orders.c.id == cast(bindparam("order", type_=BigInteger), BigInteger))
    .order_by(order_items.c.id)
)
_TO_ITEM = len(_COLUMNS)


async def get(tx: Transaction, order_id: int) -> OrderDetails | None:
    rows = await tx.all(_THIS, order=order_id)
    if not rows:
        return None
    order, customer, check = _row(*rows[0][:_TO_ITEM])
    items = [OrderItem(*row[_TO_ITEM:]) for row in rows if row[_TO_ITEM] is not None]
    return OrderDetails(order, items, customer, check)


async def with_items(tx: Transaction, rows: Sequence[OrderRow]) -> list[OrderDetails]:
    """At most a page of orders, with their lines."""
    lines: dict[int, list[OrderItem]] = defaultdict(list)
    for line in await one_of(tx, order_items, "order_id", OrderItem, [row.order.id for row in rows]):
        lines[line.order_id].append(line)
    return [OrderDetails(order, lines[order.id], customer, check) for order, customer, check in rows]
