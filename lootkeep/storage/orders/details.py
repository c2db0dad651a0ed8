"""An order with its customer, fraud check and lines: one by its id, or a page of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, and_, bindparam, cast, select

from lootkeep.domain.customers import Customer
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, OrderCheck, OrderDetails
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.lists import Join
from lootkeep.storage.rows import columns_of, one_of
from lootkeep.storage.schema import customers, fraud_checks, order_items, orders
from lootkeep.storage.schema.fraud import IS_LATEST


class OrderRow(NamedTuple):
    """An order without its lines."""

    order: Order
    customer: Customer
    check: OrderCheck | None


_CUSTOMER = Join(customers, customers.c.id == orders.c.customer_id)
_CHECK = Join(fraud_checks, and_(fraud_checks.c.order_id == orders.c.id, IS_LATEST), is_optional=True)
JOINS = (_CUSTOMER, _CHECK)
COLUMNS = (*columns_of(orders, Order), *columns_of(customers, Customer), *columns_of(fraud_checks, OrderCheck))
_TO_CUSTOMER = len(Order.__struct_fields__)
_TO_CHECK = _TO_CUSTOMER + len(Customer.__struct_fields__)


def order_row(*values: Any) -> OrderRow:
    order, customer, check = values[:_TO_CUSTOMER], values[_TO_CUSTOMER:_TO_CHECK], values[_TO_CHECK:]
    return OrderRow(Order(*order), Customer(*customer), None if check[0] is None else OrderCheck(*check))


# A row for each line: few, so that repeating the order costs less than a second statement. SQLite would plan the joins
# again for each id, were it not hidden in the CAST.
_THIS = Query(
    select(*COLUMNS, *columns_of(order_items, OrderItem))
    .select_from(orders)
    .join(customers, _CUSTOMER.on)
    .outerjoin(fraud_checks, _CHECK.on)
    .outerjoin(order_items, order_items.c.order_id == orders.c.id)
    .where(orders.c.id == cast(bindparam("order", type_=BigInteger), BigInteger))
    .order_by(order_items.c.id)
)
_TO_ITEM = len(COLUMNS)


async def get(tx: Transaction, order_id: int) -> OrderDetails | None:
    rows = await tx.all(_THIS, order=order_id)
    if not rows:
        return None
    order, customer, check = order_row(*rows[0][:_TO_ITEM])
    items = [OrderItem(*row[_TO_ITEM:]) for row in rows if row[_TO_ITEM] is not None]
    return OrderDetails(order, items, customer, check)


async def with_items(tx: Transaction, rows: Sequence[OrderRow]) -> list[OrderDetails]:
    """At most a page of orders, with their lines."""
    lines: dict[int, list[OrderItem]] = defaultdict(list)
    for line in await one_of(tx, order_items, "order_id", OrderItem, [row.order.id for row in rows]):
        lines[line.order_id].append(line)
    return [OrderDetails(order, lines[order.id], customer, check) for order, customer, check in rows]
