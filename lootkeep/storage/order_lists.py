"""Orders as they are listed, each with its customer and its lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from sqlalchemy import BigInteger, BindParameter, bindparam, select, union

from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import Order, OrderCheck, OrderItem, OrderStatus, Sale
from lootkeep.kernel import paging
from lootkeep.kernel.paging import Page
from lootkeep.storage import kept_lists
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import Contains, ContainsShort
from lootkeep.storage.lists import Filter, Listing, Sort, among, at_least, at_most, equals, less_than
from lootkeep.storage.orders import COUNTER
from lootkeep.storage.tables import customers, fraud_checks, order_items, orders

_NUMBER = re.compile(r"(?:ord-)?0*([0-9]{1,18})", re.IGNORECASE)
# Counted per day while writing.
_KEPT = {"status", "from", "to"}


def _found_by(contains: type[Contains], name: str) -> Any:
    """By the customer's name or e-mail, the order's number, the store's own id, or the payment provider's."""
    term: BindParameter[str] = bindparam(f"wanted_{name}", type_=customers.c.search_text.type)
    whose = select(customers.c.id).where(contains(customers.c.search_text, term))
    exact = bindparam("wanted_exact", type_=orders.c.external_id.type)
    return orders.c.id.in_(
        union(
            select(orders.c.id).where(orders.c.customer_id.in_(whose)),
            select(orders.c.id).where(orders.c.id == bindparam("wanted_number", type_=BigInteger)),
            select(orders.c.id).where(orders.c.external_id == exact),
            select(orders.c.id).where(orders.c.transaction_id == exact),
        )
    )


_OF_EMAIL = select(customers.c.id).where(customers.c.email == bindparam("wanted_email"))
_WITH_PRODUCT = select(order_items.c.order_id).where(order_items.c.product_id == bindparam("wanted_product_id"))

LISTING = Listing(
    orders,
    Order,
    {
        "customer_id": equals(orders.c.customer_id, "customer_id"),
        "email": Filter(lambda _: orders.c.customer_id == _OF_EMAIL.scalar_subquery(), is_sorted=True),
        "coupon_code": equals(orders.c.coupon_code, "coupon_code"),
        "search": Filter(lambda _: _found_by(Contains, "search")),
        "search_short": Filter(lambda _: _found_by(ContainsShort, "search_short")),
        "product_id": Filter(lambda _: orders.c.id.in_(_WITH_PRODUCT)),
        "risk_level": equals(orders.c.risk_level, "risk_level"),
        "country": equals(orders.c.billing_country, "country"),
        "payment_method": equals(orders.c.payment_method, "payment_method"),
        "status": equals(orders.c.status, "status"),
        "min_total": at_least(orders.c.total, "min_total"),
        "max_total": at_most(orders.c.total, "max_total"),
        "from": at_least(orders.c.created_at, "from"),
        "to": less_than(orders.c.created_at, "to"),
    },
    {
        "id": Sort(orders.c.id),
        "created_at": Sort(orders.c.created_at),
        "paid_at": Sort(orders.c.paid_at, is_nullable=True),
        "total": Sort(orders.c.total),
    },
)


async def page(
    tx: Transaction, asked: Page, wanted: Mapping[str, Any], sort: str, order: paging.Order
) -> tuple[list[Sale], int]:
    """A page of the list, and how many there are in all."""
    if wanted.keys() <= _KEPT:
        names = [COUNTER + status for status in get_args(OrderStatus) if wanted.get("status", status) == status]
        found, total = await kept_lists.page(tx, LISTING, names, asked, wanted, sort, order)
    else:
        total = await LISTING.total(tx, wanted)
        found = await LISTING.page(tx, asked, wanted, sort, order, total)
    return await sales(tx, found), total


class _CheckOf(OrderCheck, frozen=True):
    order_id: int


def exact(term: str) -> dict[str, Any]:
    """What a search for the term finds as a whole: an id of the store or the provider, or an order number."""
    number = _NUMBER.fullmatch(term)
    return {"exact": term, "number": int(number[1]) if number else 0}


async def sales(tx: Transaction, found: Sequence[Order]) -> list[Sale]:
    """The orders with their customers, lines and fraud checks."""
    ids = [order.id for order in found]
    checks = {one.order_id: one for one in await among(tx, fraud_checks, "order_id", _CheckOf, ids)}
    people = {one.id: one for one in await among(tx, customers, "id", Customer, [o.customer_id for o in found])}
    lines: dict[int, list[OrderItem]] = defaultdict(list)
    for line in await among(tx, order_items, "order_id", OrderItem, ids):
        lines[line.order_id].append(line)
    return [Sale(order, lines[order.id], people[order.customer_id], checks.get(order.id)) for order in found]
