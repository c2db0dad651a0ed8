"""Disputes of orders, and the links of confirmed frauds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, delete, insert, select

from lootkeep.domain.disputes import Dispute, DisputeKind, DisputeReason
from lootkeep.domain.fraud.labels import Label
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import disputes, labels

_DISPUTE = [disputes.c[name] for name in Dispute.__struct_fields__]
_NEW = [name for name in Dispute.__struct_fields__ if name != "id"]

_ADD = Query(insert(disputes).values({name: bindparam(f"new_{name}") for name in _NEW}))
_OF_ORDER = Query(
    select(*_DISPUTE).where(disputes.c.order_id == bindparam("order")).order_by(disputes.c.at, disputes.c.id), Dispute
)
_REMOVE_LABELS = Query(delete(labels).where(labels.c.order_id == bindparam("order")))
_ADD_LABEL = Query(
    insert(labels)
    .values(
        kind=bindparam("label"), value=bindparam("linked_by"), since=bindparam("known_at"), order_id=bindparam("order")
    )
    .inline(),
    set_based=True,
)


async def add(
    tx: Transaction,
    order_id: int,
    kind: DisputeKind,
    reason: DisputeReason,
    external_id: str | None,
    at: Instant,
    now: Instant,
) -> Dispute:
    values: dict[str, Any] = dict(zip(_NEW, (order_id, kind, reason, external_id, at, now), strict=True))
    (dispute_id,) = await tx.insert(_ADD, [{f"new_{name}": value for name, value in values.items()}])
    return Dispute(id=dispute_id, **values)


async def of_order(tx: Transaction, order_id: int) -> list[Dispute]:
    """In chronological order."""
    return await tx.all(_OF_ORDER, order=order_id)


async def set_labels(tx: Transaction, order_id: int, new: Iterable[Label]) -> None:
    """The links for later orders."""
    await tx.run(_REMOVE_LABELS, order=order_id)
    rows = [
        {"label": label.kind, "linked_by": label.value, "known_at": label.since, "order": order_id} for label in new
    ]
    if rows:
        await tx.execute_many(_ADD_LABEL, rows)
