"""Disputes of orders, and the links of confirmed frauds."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import bindparam, delete, func, or_, select

from lootkeep.domain.disputes import MAX_DEADLINE, USUAL_DEADLINE, Dispute
from lootkeep.domain.fraud.labels import Label
from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of, insertion
from lootkeep.storage.schema import disputes, labels, orders

ROWS = Rows(disputes, Dispute)

_TO_ORDER = len(Dispute.__struct_fields__)

_OF_ORDER = Query(
    select(*columns_of(disputes, Dispute))
    .where(disputes.c.order_id == bindparam("order"))
    .order_by(disputes.c.at, disputes.c.id),
    Dispute,
)
_outcomes, _named = disputes.alias(), disputes.alias()
# As `domain.disputes.open_disputes` says: an outcome that names a dispute of the order is about that one alone.
_is_of_another = (
    select(_named.c.id)
    .where(
        _named.c.order_id == disputes.c.order_id,
        _named.c.kind == "dispute",
        _named.c.external_id == _outcomes.c.external_id,
        _named.c.external_id.is_distinct_from(disputes.c.external_id),
    )
    .correlate(disputes, _outcomes)
    .exists()
)
_due_at = func.coalesce(disputes.c.evidence_due_at, disputes.c.at + USUAL_DEADLINE)
_WAITING = Query(
    select(*columns_of(disputes, Dispute), *columns_of(orders, Order))
    .join(orders, orders.c.id == disputes.c.order_id)
    .where(
        disputes.c.kind == "dispute",
        disputes.c.at > bindparam("since"),
        or_(disputes.c.evidence_due_at.is_(None), disputes.c.evidence_due_at > bindparam("now")),
        orders.c.status != "refunded",
        ~select(_outcomes.c.id)
        .where(
            _outcomes.c.order_id == disputes.c.order_id,
            or_(_outcomes.c.kind == "dispute_won", _outcomes.c.kind == "dispute_lost"),
            _outcomes.c.at >= disputes.c.at,
            ~_is_of_another,
        )
        .exists(),
    )
    .order_by(_due_at, disputes.c.id)
    .limit(bindparam("size")),
    lambda *values: (Dispute(*values[:_TO_ORDER]), Order(*values[_TO_ORDER:])),
)
_REMOVE_LABELS = Query(delete(labels).where(labels.c.order_id == bindparam("order")))
_ADD_LABEL = insertion(labels, "kind", "value", "since", "order_id", set_based=True)


async def of_order(tx: Transaction, order_id: int) -> list[Dispute]:
    """In chronological order."""
    return await tx.all(_OF_ORDER, order=order_id)


async def of_orders(tx: Transaction, order_ids: Iterable[int]) -> dict[int, list[Dispute]]:
    """Of those that have any, in chronological order."""
    by_order: dict[int, list[Dispute]] = {}
    for dispute in await tx.fetch_for_each(_OF_ORDER, [{"order": order_id} for order_id in order_ids]):
        by_order.setdefault(dispute.order_id, []).append(dispute)
    return by_order


async def waiting(tx: Transaction, size: int, now: Instant) -> list[tuple[Dispute, Order]]:
    """Those that evidence can still be sent for, the most urgent first; without a deadline, until they are closed."""
    return await tx.all(_WAITING, since=now - MAX_DEADLINE, now=now, size=size)


async def set_labels(tx: Transaction, order_id: int, new: Iterable[Label]) -> None:
    """The links for later orders."""
    await tx.run(_REMOVE_LABELS, order=order_id)
    rows = [{"kind": label.kind, "value": label.value, "since": label.since, "order_id": order_id} for label in new]
    if rows:
        await tx.execute_many(_ADD_LABEL, rows)
