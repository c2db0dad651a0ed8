"""Sales counted from the orders themselves: for parts of a day, for a single product, and by top customer."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Select, bindparam, case, cast, func, literal, select

from lootkeep.domain.analytics import TopCustomer
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, order_items, orders

_PAID = (orders.c.paid_at >= bindparam("start"), orders.c.paid_at < bindparam("end"))
_PLACED = (orders.c.created_at >= bindparam("start"), orders.c.created_at < bindparam("end"))
# By the time of the payment; statuses by the time the orders were placed.
_TIMES = {"status": _PLACED}
_WITH_PRODUCT = orders.c.id.in_(
    select(order_items.c.order_id).where(order_items.c.product_id == bindparam("product", type_=BigInteger))
)
_KEYS = {"country": orders.c.billing_country, "method": orders.c.payment_method, "status": orders.c.status}


@cache
def _parts_query(dimension: str, is_product: bool) -> Query[tuple[Any, ...]]:
    if dimension == "product":
        key = order_items.c.product_id
        sums = (func.count(orders.c.id.distinct()), func.sum(order_items.c.quantity), func.sum(order_items.c.total))
        query: Select[Any] = select(key, orders.c.currency, *(cast(measure, BigInteger) for measure in sums))
        query = query.join_from(orders, order_items, order_items.c.order_id == orders.c.id)
        # For one product, only its own figures, not those of products bought with it.
        query = query.where(key == bindparam("product", type_=BigInteger)) if is_product else query
        return Query(query.where(*_PAID).group_by(key, orders.c.currency))
    key = _KEYS[dimension]
    query = select(key, orders.c.currency, func.count(), literal(0), cast(func.sum(orders.c.total), BigInteger))
    return Query(_of(query, is_product).where(*_TIMES.get(dimension, _PAID)).group_by(key, orders.c.currency))


_BUYERS_OF_PRODUCT = Query(
    select(func.count(orders.c.customer_id.distinct())).where(orders.c.paid_at.is_not(None), *_PAID, _WITH_PRODUCT)
)
_paid_then = (
    select(orders.c.customer_id)
    .where(orders.c.customer_id == customers.c.id, orders.c.paid_at.is_not(None), *_PAID)
    .correlate(customers)
    .exists()
)
# Whose last order is not older; without those who ordered later, but not in this time.
_BUYERS = Query(
    select(
        select(func.count()).where(customers.c.last_order_at >= bindparam("start")).scalar_subquery()
        - select(func.count()).where(customers.c.last_order_at >= bindparam("end"), ~_paid_then).scalar_subquery()
    )
)


def _of(query: Select[Any], is_product: bool) -> Select[Any]:
    return query.where(_WITH_PRODUCT) if is_product else query


def _values(start: Instant, end: Instant, product_id: int | None) -> dict[str, int]:
    return {"start": start, "end": end} | ({} if product_id is None else {"product": product_id})


async def parts(
    tx: Transaction, dimension: str, start: Instant, end: Instant, product_id: int | None
) -> list[tuple[Any, ...]]:
    """Key, currency, orders, items and money of each."""
    return await tx.all(_parts_query(dimension, product_id is not None), **_values(start, end, product_id))


async def unique_customers(tx: Transaction, start: Instant, end: Instant, product_id: int | None) -> int:
    """How many different customers bought: a time that ends today is one range of the index of last orders."""
    query = _BUYERS if product_id is None else _BUYERS_OF_PRODUCT
    ((count,),) = await tx.run_slow(query, **_values(start, end, product_id))
    return int(count)


_NEW = Query(
    select(func.count(orders.c.customer_id.distinct()))
    .join_from(orders, customers, customers.c.id == orders.c.customer_id)
    .where(_WITH_PRODUCT, *_PAID, customers.c.first_order_at >= bindparam("start"))
)


async def new_customers(tx: Transaction, start: Instant, end: Instant, product_id: int) -> int:
    """Buyers of the product who placed their first order ever in this period."""
    ((count,),) = await tx.all(_NEW, **_values(start, end, product_id))
    return int(count)


# Above this number of orders, only the best customers of all time are added up, if nobody else can be among the best.
_FEW_ORDERS = 1_000
_CANDIDATES = (50, 2_000)
# Above this number, leaving out those who spent too little in all costs less than adding up everyone.
_MANY_ORDERS = 1_000_000

# What remains of the orders paid in this period, after refunds.
_LEFT = case((orders.c.currency == bindparam("currency"), orders.c.total - orders.c.refunded_total), else_=0)
_SPENT = cast(func.coalesce(func.sum(_LEFT), 0), BigInteger)
_STANDING = func.count(orders.c.id).filter(orders.c.status != "refunded")
_RANKED = (customers.c.total_spent.desc(), customers.c.id.desc())
_NTH_SPENT = Query(select(customers.c.total_spent).order_by(*_RANKED).limit(1).offset(bindparam("skip")))
_AMONG: dict[str, Select[Any]] = {
    "best": select(customers.c.id).order_by(*_RANKED).limit(bindparam("candidates")),
    "able": select(customers.c.id).where(customers.c.total_spent >= bindparam("least")),
}


@cache
def _top_query(is_product: bool, among: str = "") -> Query[TopCustomer]:
    spent = _of(select(orders.c.customer_id, _STANDING.label("orders"), _SPENT.label("spent")), is_product)
    if among:
        spent = spent.where(orders.c.customer_id.in_(_AMONG[among]))
    best = spent.where(*_PAID).group_by(orders.c.customer_id).having(_SPENT > 0)
    best = best.order_by(_SPENT.desc(), orders.c.customer_id.desc()).limit(bindparam("size"))
    # Only those at the top are looked up, not every buyer.
    top = best.subquery()
    return Query(
        select(customers.c.id, customers.c.name, customers.c.email, top.c.orders, top.c.spent)
        .join_from(top, customers, customers.c.id == top.c.customer_id)
        .order_by(top.c.spent.desc(), customers.c.id.desc()),
        TopCustomer,
    )


async def top_customers(
    tx: Transaction, start: Instant, end: Instant, currency: str, size: int, *, orders: int, product_id: int | None
) -> list[TopCustomer]:
    """Who spent most in this time, of `orders` orders; refunds of these are subtracted.

    Nobody spent more in any time than in all: if the last of those found among the best customers of all time spent as
    much in this time as the next of these spent in all, nobody else has spent more. Of those who spent alike at the end
    of the list, any may be on it.
    """
    values = _values(start, end, product_id) | {"currency": currency, "size": size}
    if product_id is not None or orders <= _FEW_ORDERS:
        return await tx.run_slow(_top_query(product_id is not None), **values)
    least = 0
    for candidates in _CANDIDATES:
        best = await tx.all(_top_query(False, "best"), **values, candidates=candidates)
        least = best[-1].spent if len(best) == size else 0
        if least >= await _nth_spent(tx, candidates):
            return best
    if orders > _MANY_ORDERS:
        return await tx.run_slow(_top_query(False, "able"), **values, least=least)
    return await tx.run_slow(_top_query(False), **values)


async def _nth_spent(tx: Transaction, number: int) -> int:
    """The total spending of the customer at this rank."""
    row = await tx.one(_NTH_SPENT, skip=number)
    return row[0] if row else 0
