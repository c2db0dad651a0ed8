"""Acts on many records: prepared, worked by a queue, and the result of each, written with what was done to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, ScalarSelect, Text, bindparam, func, literal_column, select, update

from lootkeep.domain.bulk import BulkAct, BulkRow, BulkRowStatus
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.queue import SingleQueue
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import bulk_acts as acts, bulk_rows as rows, fraud_checks, orders, support_tickets

# Literals: otherwise the engines do not use the partial indexes.
_IS_OPEN = acts.c.status == literal_column("'waiting'", Text)
_IS_LEFT = rows.c.status == literal_column("'waiting'", Text)

# What decides, in each area, whether an act is refused, where one column does.
STATES: dict[str, tuple[Column[int], Column[Any]]] = {
    "orders": (orders.c.id, orders.c.status),
    "fraud": (fraud_checks.c.id, fraud_checks.c.review_outcome),
    "tickets": (support_tickets.c.id, support_tickets.c.status),
}


def _count(status: str) -> ScalarSelect[int]:
    of_act = select(func.count()).where(rows.c.act_id == acts.c.id, rows.c.status == status)
    return of_act.correlate(acts).scalar_subquery()


_COUNTS = {"done_count": _count("done"), "refused_count": _count("refused")}
QUEUE = SingleQueue(acts, _IS_OPEN, BulkAct, claimed_as="waiting", settled=_COUNTS, parts=rows.c.act_id)
ACTS = Rows(acts, BulkAct)
ROWS = Rows(rows, BulkRow)
LISTING = Listing(acts, BulkAct, {}, {"id": Sort(acts.c.id)}, always=(acts.c.status != "draft",))
ROW_LISTING = Listing(
    rows,
    BulkRow,
    {"act_id": equals(rows.c.act_id, "act_id"), "status": equals(rows.c.status, "status", None)},
    {"id": Sort(rows.c.id)},
)

_LEFT = Query(
    select(*columns_of(rows, BulkRow))
    .where(rows.c.act_id == bindparam("act"), _IS_LEFT)
    .order_by(rows.c.id)
    .limit(bindparam("size")),
    BulkRow,
)
_FINISH = Query(
    update(rows)
    .where(rows.c.id == bindparam("row"), _IS_LEFT)
    .values(status=bindparam("outcome"), sentence=bindparam("text"), parameters=bindparam("undo"))
    .returning(rows.c.id)
)
_STOP_ROWS = Query(update(rows).where(rows.c.act_id == bindparam("act"), _IS_LEFT).values(status="stopped"))
_STOP = Query(
    update(acts)
    .where(acts.c.id == bindparam("act"), _IS_OPEN)
    .values(status="stopped", lease=None, finished_at=bindparam("now"), **_COUNTS)
)
_STATES = {
    area: Query(
        select(state, func.count())
        .select_from(rows.join(key.table, key == rows.c.record_id))
        .where(rows.c.act_id == bindparam("act"))
        .group_by(state)
    )
    for area, (key, state) in STATES.items()
}


async def add(tx: Transaction, act: BulkAct, records: Mapping[int, str | None]) -> BulkAct:
    """Of each record, what the act gets for it alone."""
    stored = await ACTS.add(tx, act)
    rows = [BulkRow(0, stored.id, record_id, "waiting", None, parameters) for record_id, parameters in records.items()]
    await ROWS.add_many(tx, rows)
    return stored


async def start(tx: Transaction, draft: BulkAct, started: BulkAct) -> BulkAct:
    tx.wake("bulk_acts")
    return await ACTS.save(tx, draft, started)


async def left(tx: Transaction, act_id: int, size: int) -> list[BulkRow]:
    """The next rows of an act that nothing was done to yet."""
    return await tx.all(_LEFT, act=act_id, size=size)


async def finish(
    tx: Transaction, row: BulkRow, outcome: BulkRowStatus, sentence: str | None, undo: str | None = None
) -> bool:
    """False if the row has its result already, or the act was stopped."""
    return bool(await tx.all(_FINISH, row=row.id, outcome=outcome, text=sentence, undo=undo))


async def stop(tx: Transaction, act_id: int, now: Instant) -> None:
    """Its rows first: one that is being acted on counts."""
    await tx.run_slow(_STOP_ROWS, act=act_id)
    await tx.run(_STOP, act=act_id, now=now)


async def states(tx: Transaction, act: BulkAct) -> dict[str | None, int]:
    """How many of the records are in each state; empty in an area where no column says it."""
    return dict(await tx.all(_STATES[act.area], act=act.id)) if act.area in _STATES else {}
