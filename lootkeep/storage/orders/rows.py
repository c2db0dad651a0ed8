"""Orders with their items, and refunds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import bindparam, select, update

from lootkeep.domain.checkout import PricedLine
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import Order, Refund
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import order_items as items, orders, refunds

ROWS = Rows(orders, Order, derived=("ip_network",), totals="orders", is_shown=True)
ITEMS = Rows(items, OrderItem)
REFUNDS = Rows(refunds, Refund)

_THIS = orders.c.id == bindparam("order")
_LOCK_ALONE = Query(select(orders.c.id).where(_THIS).with_for_update())
_BY_EXTERNAL_ID = Query(select(*columns_of(orders, Order)).where(orders.c.external_id == bindparam("external")), Order)
_LATEST = Query(
    select(*columns_of(orders, Order))
    .where(orders.c.customer_id == bindparam("customer"))
    .order_by(orders.c.created_at.desc())
    .limit(1),
    Order,
)
_ANY = Query(select(orders.c.id).limit(1))
_DELIVERED = ("fulfilled_quantity", "delivered_at", "waiting_since", "expiry_due_at")
_DELIVER = Query(
    update(items)
    .where(items.c.id == bindparam("item"))
    .values({name: bindparam(f"new_{name}") for name in _DELIVERED}),
    set_based=True,
)


async def exist(tx: Transaction) -> bool:
    return await tx.one(_ANY) is not None


async def add(tx: Transaction, order: Order, lines: Sequence[PricedLine]) -> tuple[Order, list[OrderItem]]:
    """Stores a new order and assigns its id."""
    (row,) = await add_many(tx, [(order, lines)])
    return row


async def add_many(
    tx: Transaction, new: Sequence[tuple[Order, Sequence[PricedLine]]]
) -> list[tuple[Order, list[OrderItem]]]:
    """The same for several orders, numbered in sequence."""
    new_orders = await ROWS.add_many(tx, [order for order, _ in new])
    rows = [
        OrderItem(**msgspec.structs.asdict(line), id=0, order_id=order.id)
        for (_, lines), order in zip(new, new_orders, strict=True)
        for line in lines
    ]
    items_by_order: dict[int, list[OrderItem]] = {order.id: [] for order in new_orders}
    for item in await ITEMS.add_many(tx, rows):
        items_by_order[item.order_id].append(item)
    for order in new_orders:
        _count_sold(tx, None, order, items_by_order[order.id])
    return [(order, items_by_order[order.id]) for order in new_orders]


async def lock(tx: Transaction, order_id: int) -> None:
    """Locks it without reading it: what another transaction wrote meanwhile is read afterwards."""
    await tx.run(_LOCK_ALONE, order=order_id)


async def by_external_id(tx: Transaction, external_ids: Iterable[str]) -> list[Order]:
    """Those that exist."""
    return await tx.fetch_for_each(_BY_EXTERNAL_ID, [{"external": external_id} for external_id in external_ids])


async def latest_of(tx: Transaction, customer_id: int) -> Order | None:
    return await tx.one(_LATEST, customer=customer_id)


async def save(tx: Transaction, before: Order, after: Order, lines: Iterable[OrderItem]) -> None:
    """Writes a step of an order, and counts it with the sales of its lines."""
    await ROWS.save(tx, before, after)
    _count_sold(tx, before, after, lines)


class _Sold(msgspec.Struct, frozen=True):
    """One product of an order, regardless of the number of lines."""

    product_id: int
    quantity: int
    total: int
    paid_at: Instant | None
    completed_at: Instant | None
    refunded_at: Instant | None
    status: str
    currency: str


def _count_sold(tx: Transaction, before: Order | None, after: Order, lines: Iterable[OrderItem]) -> None:
    if after.paid_at is None:
        return
    sums: dict[int, tuple[int, int]] = {}
    for line in lines:
        quantity, total = sums.get(line.product_id, (0, 0))
        sums[line.product_id] = quantity + line.quantity, total + line.total
    for product_id, (quantity, total) in sums.items():
        old, new = (order and _sold(product_id, quantity, total, order) for order in (before, after))
        tx.totals.count("sold products", old, new)


def _sold(product_id: int, quantity: int, total: int, order: Order) -> _Sold:
    times = order.paid_at, order.completed_at, order.refunded_at
    return _Sold(product_id, quantity, total, *times, order.status, order.currency)


async def set_delivered(tx: Transaction, lines: Sequence[OrderItem]) -> None:
    """How much of each line was delivered, when it was whole, since when it waits, and when its end is due."""
    rows = [{"item": line.id, **{f"new_{name}": getattr(line, name) for name in _DELIVERED}} for line in lines]
    if rows:
        await tx.execute_many(_DELIVER, rows)


class _Refunded(msgspec.Struct, frozen=True):
    amount: int
    created_at: Instant
    currency: str
    # Less tax.
    tax: int


async def add_refund(tx: Transaction, order: Order, new: Refund) -> Refund:
    refund = await REFUNDS.add(tx, new)
    tx.totals.count("refunds", None, _Refunded(refund.amount, refund.created_at, order.currency, -refund.tax))
    return refund
