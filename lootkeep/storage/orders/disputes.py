"""Disputes of orders, and the links of confirmed frauds."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import bindparam, delete, insert, select

from lootkeep.domain.disputes import Dispute
from lootkeep.domain.fraud.labels import Label
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import disputes, labels

ROWS = Rows(disputes, Dispute)

_OF_ORDER = Query(
    select(*columns_of(disputes, Dispute))
    .where(disputes.c.order_id == bindparam("order"))
    .order_by(disputes.c.at, disputes.c.id),
    Dispute,
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
