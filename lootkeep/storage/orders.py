"""Orders with their items, and refunds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from sqlalchemy import bindparam, insert, select, update

from lootkeep.domain.addresses import network_key
from lootkeep.domain.checkout import PricedLine
from lootkeep.domain.orders import Order, OrderItem, Refund, RefundReason
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import order_items as items, orders, refunds

_ORDER = [orders.c[name] for name in Order.__struct_fields__]
_ITEM = [items.c[name] for name in OrderItem.__struct_fields__]
_REFUND = [refunds.c[name] for name in Refund.__struct_fields__]
_THIS = orders.c.id == bindparam("order")
# The columns that steps of an order change; the rest is fixed when it is placed.
_CHANGING = (
    "status",
    "refunded_total",
    "payment_method",
    "transaction_id",
    "cancel_reason",
    "updated_at",
    "paid_at",
    "completed_at",
    "cancelled_at",
    "refunded_at",
    "fulfillment_note",
)

_NEW = ("ip_network", *(name for name in Order.__struct_fields__ if name != "id"))
_ADD = Query(insert(orders).values({name: bindparam(name) for name in _NEW}))
_ADD_ITEM = Query(insert(items).values({name: bindparam(name) for name in OrderItem.__struct_fields__ if name != "id"}))
_GET = Query(select(*_ORDER).where(_THIS), Order)
_LOCK = Query(select(*_ORDER).where(_THIS).with_for_update(), Order)
_LOCK_ALONE = Query(select(orders.c.id).where(_THIS).with_for_update())
_BY_EXTERNAL_ID = Query(select(*_ORDER).where(orders.c.external_id == bindparam("external")), Order)
_ITEMS = Query(select(*_ITEM).where(items.c.order_id == bindparam("order")).order_by(items.c.id), OrderItem)
_SET = Query(update(orders).where(_THIS).values({name: bindparam(name) for name in _CHANGING}))
_FULFIL = Query(
    update(items).where(items.c.id == bindparam("item")).values(fulfilled_quantity=bindparam("delivered")),
    set_based=True,
)
_ADD_REFUND = Query(
    insert(refunds)
    .values(
        order_id=bindparam("order"),
        amount=bindparam("amount"),
        reason=bindparam("why"),
        created_at=bindparam("now"),
        reason_code=bindparam("code"),
    )
    .returning(*_REFUND),
    Refund,
)


async def add(tx: Transaction, order: Order, lines: Sequence[PricedLine]) -> tuple[Order, list[OrderItem]]:
    """Stores a new order and assigns its id."""
    (added,) = await add_many(tx, [(order, lines)])
    return added


async def add_many(
    tx: Transaction, new: Sequence[tuple[Order, Sequence[PricedLine]]]
) -> list[tuple[Order, list[OrderItem]]]:
    """The same for several orders, numbered in sequence."""
    ids = await tx.insert(_ADD, [msgspec.structs.asdict(order) | {"ip_network": _network(order)} for order, _ in new])
    added = [msgspec.structs.replace(order, id=order_id) for (order, _), order_id in zip(new, ids, strict=True)]
    rows = [
        msgspec.structs.asdict(line) | {"order_id": order_id}
        for (_, lines), order_id in zip(new, ids, strict=True)
        for line in lines
    ]
    items_by_order: dict[int, list[OrderItem]] = {order_id: [] for order_id in ids}
    for row, item_id in zip(rows, await tx.insert(_ADD_ITEM, rows), strict=True):
        items_by_order[row["order_id"]].append(OrderItem(**row, id=item_id))
    for order in added:
        _count(tx, None, order, items_by_order[order.id])
    return [(order, items_by_order[order.id]) for order in added]


def _network(order: Order) -> str | None:
    return None if order.ip_address is None else network_key(order.ip_address)


async def get(tx: Transaction, order_id: int) -> Order | None:
    return await tx.one(_GET, order=order_id)


async def get_for_update(tx: Transaction, order_id: int) -> Order | None:
    """Locked until the transaction ends: two steps of one order run one after the other."""
    return await tx.one(_LOCK, order=order_id)


async def lock(tx: Transaction, order_id: int) -> None:
    """The same without reading it."""
    await tx.run(_LOCK_ALONE, order=order_id)


async def by_external_id(tx: Transaction, external_ids: Iterable[str]) -> list[Order]:
    """Those that exist."""
    return await tx.fetch_for_each(_BY_EXTERNAL_ID, [{"external": external_id} for external_id in external_ids])


async def items_of(tx: Transaction, order_id: int) -> list[OrderItem]:
    return await tx.all(_ITEMS, order=order_id)


async def save(tx: Transaction, before: Order, after: Order, lines: Iterable[OrderItem]) -> None:
    """Writes a step of an order, and counts it with the sales of its lines."""
    await tx.run(_SET, order=after.id, **{name: getattr(after, name) for name in _CHANGING})
    _count(tx, before, after, lines)


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


def _count(tx: Transaction, before: Order | None, after: Order, lines: Iterable[OrderItem]) -> None:
    tx.totals.count("orders", before, after)
    if after.paid_at is None:
        return
    if before is None or before.paid_at is None:
        tx.totals.buy(after.customer_id, after.paid_at)
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


async def set_fulfilled(tx: Transaction, quantities: Mapping[int, int]) -> None:
    """The delivered quantity of each line."""
    if quantities:
        await tx.execute_many(_FULFIL, [{"item": item, "delivered": quantity} for item, quantity in quantities.items()])


class _Refunded(msgspec.Struct, frozen=True):
    amount: int
    created_at: Instant
    currency: str


async def add_refund(
    tx: Transaction, order: Order, amount: int, reason: str | None, now: Instant, code: RefundReason | None = None
) -> Refund:
    (refund,) = await tx.all(_ADD_REFUND, order=order.id, amount=amount, why=reason, now=now, code=code)
    tx.totals.count("refunds", None, _Refunded(refund.amount, refund.created_at, order.currency))
    return refund
