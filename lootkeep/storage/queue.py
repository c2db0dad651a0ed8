"""Leased queues: a worker claims an item for a time, and settles it if it still holds the lease."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    ScalarSelect,
    Select,
    Table,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    true,
    update,
)

from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import show

# The limit for counting a backlog: above this it is simply many.
MAX_COUNTED = 10_000
# How many items one transaction removes.
_BATCH = 500
_ALL = true()
# Clocks of several machines differ by less: what another worker has just written does not change.
TOLERANCE = MINUTE


class QueueItem(Protocol):
    @property
    def id(self) -> int: ...

    @property
    def attempts_count(self) -> int: ...


class Queue:
    """What every queue does with its table; the columns have the same names in each.

    `is_open` is the condition of the partial index of open items, written exactly as in the index. `settled` are the
    columns that only this queue sets when it settles. `parts` are the tables with rows of an item, by its id.
    `is_over` is what else an item that ended must be before it is removed.
    """

    def __init__(
        self,
        table: Table,
        is_open: ColumnElement[bool],
        settled: dict[str, Any],
        parts: Column[int] | None = None,
        is_over: ColumnElement[bool] = _ALL,
    ) -> None:
        self._table = table
        self._is_open = is_open
        # Fenced by lease and number: an attempt that lost its lease cannot overwrite the result of its successor.
        settle = (
            update(table)
            .where(
                table.c.id == bindparam("item"),
                table.c.lease == bindparam("held"),
                table.c.attempts_count == bindparam("attempt"),
            )
            .values(
                status=bindparam("new_status"),
                due_at=bindparam("due"),
                lease=None,
                failures=bindparam("failed"),
                reason=bindparam("why"),
                finished_at=bindparam("finished"),
                **settled,
            )
        )
        self._settle = Query(settle.returning(table.c.id))
        self._settle_all = Query(settle, set_based=True)
        finished = select(table.c.id).where(table.c.finished_at < bindparam("before"), is_over)
        oldest = finished.order_by(table.c.finished_at).limit(_BATCH)
        # An item that is being sent again at this moment is not old.
        self._finished = Query(oldest.with_for_update(skip_locked=True))
        owners = [table.c.id] if parts is None else [parts, table.c.id]
        self._remove = [Query(delete(key.table).where(key == bindparam("item")), set_based=True) for key in owners]
        failures = case((table.c.failures > bindparam("most"), bindparam("most")), else_=table.c.failures)
        self._pull_in = self._sooner("due_at", failures == bindparam("failed"))
        self._pull_in_leases = self._sooner("leased_until") if "leased_until" in table.c else None

    async def settle(
        self, tx: Transaction, lease: str, item: QueueItem, settlement: Settlement, now: Instant, **extra: Any
    ) -> bool:
        """False if the worker no longer holds the item; `extra` are values of its queue."""
        row = _settled(lease, item, settlement, now) | extra
        show(tx, self._table)
        return bool(await tx.all(self._settle, doubtful=settlement.perhaps_twice, **row))

    async def settle_all(
        self, tx: Transaction, lease: str, items: Sequence[tuple[QueueItem, Settlement, dict[str, Any]]], now: Instant
    ) -> None:
        """The same in one statement, each item with the values of its queue."""
        rows = [_settled(lease, item, settlement, now) | extra for item, settlement, extra in items]
        show(tx, self._table)
        await tx.execute_many(self._settle_all, rows)

    async def purge(self, tx: Transaction, before: Instant) -> int:
        """Removes some of the items that ended before, and returns how many."""
        rows = [{"item": item_id} for (item_id,) in await tx.all(self._finished, before=before)]
        if rows:
            for remove in self._remove:
                await tx.execute_many(remove, rows)
        return len(rows)

    async def pull_in(self, tx: Transaction, waits: Sequence[int], lease: int, now: Instant) -> None:
        """After the clock was set back: an item that is due later than any rule allows waits once more, not longer.

        `waits` is the maximum wait after no failure, after one, after two and so on; the last one is of all after it.
        """
        for failures, wait in enumerate(waits):
            later = {"latest": now + wait + TOLERANCE, "due": now + wait}
            await tx.run_slow(self._pull_in, failed=failures, most=len(waits) - 1, **later)
        if self._pull_in_leases:
            await tx.run_slow(self._pull_in_leases, latest=now + lease + TOLERANCE, due=now + lease)

    def _sooner(self, column: str, *conditions: ColumnElement[bool]) -> Query[Any]:
        later = self._table.c[column] > bindparam("latest")
        return Query(update(self._table).where(later, self._is_open, *conditions).values({column: bindparam("due")}))


R = TypeVar("R")


def _claimed(table: Table) -> dict[str, Any]:
    """What a claim writes; a lease that is still there is of a worker that did not settle."""
    was_held = table.c.lease.is_not(None)
    return {
        "lease": bindparam("held"),
        "due_at": bindparam("until"),
        "attempts_count": table.c.attempts_count + 1,
        "failures": table.c.failures + case((was_held, 1), else_=0),
        **({"perhaps_twice": or_(table.c.perhaps_twice, was_held)} if "perhaps_twice" in table.c else {}),
    }


class SingleQueue(Queue, Generic[R]):
    """A queue that is processed one item at a time: a claimed item is due again when its lease ends.

    `claimed_as` is its status meanwhile. An item claimed from a worker that did not settle may be sent twice; where
    there is something to mark, it is marked.
    """

    def __init__(
        self,
        table: Table,
        is_open: ColumnElement[bool],
        record: type[R],
        claimed_as: str = "sending",
        settled: dict[str, Any] | None = None,
        parts: Column[int] | None = None,
        is_over: ColumnElement[bool] = _ALL,
    ) -> None:
        super().__init__(table, is_open, settled or {"perhaps_twice": bindparam("doubtful")}, parts, is_over)
        first = select(table.c.id).where(is_open).order_by(table.c.due_at).limit(1)
        due = first.where(table.c.due_at <= bindparam("now")).with_for_update(skip_locked=True)
        fields: Sequence[str] = getattr(record, "__struct_fields__")  # noqa: B009
        self._claim = Query(
            update(table)
            # Not IN: PostgreSQL may run the subquery of IN again for every row, and would then claim more than one.
            .where(table.c.id == due.scalar_subquery())
            .values(_claimed(table) | {"status": claimed_as})
            .returning(*(table.c[name] for name in fields)),
            record,
        )
        self._next = Query(select(table.c.due_at).where(is_open).order_by(table.c.due_at).limit(1))
        opened = select(table.c.id).where(is_open)
        self._backlog = Query(
            select(count_up_to(opened.where(table.c.due_at <= bindparam("now"))), count_up_to(opened))
        )

    async def claim(self, tx: Transaction, lease: str, until: Instant, now: Instant) -> R | None:
        """Takes the item that has been due longest, and counts the attempt before it is made."""
        return await tx.one(self._claim, held=lease, until=until, now=now)

    async def next_due(self, tx: Transaction) -> Instant | None:
        row = await tx.one(self._next)
        return None if row is None else Instant(row[0])

    async def backlog(self, tx: Transaction, now: Instant) -> tuple[int, int, Instant | None]:
        """How many items are due, how many wait in total, both up to a limit, and when the first is due."""
        ((due, waiting),) = await tx.all(self._backlog, now=now)
        return due, waiting, await self.next_due(tx)


def count_up_to(items: Select[Any]) -> ScalarSelect[int]:
    """The count, up to a limit."""
    return select(func.count()).select_from(items.limit(MAX_COUNTED).subquery()).scalar_subquery()


def _settled(lease: str, item: QueueItem, settlement: Settlement, now: Instant) -> dict[str, Any]:
    return {
        "item": item.id,
        "held": lease,
        "attempt": item.attempts_count,
        "new_status": settlement.status,
        "due": settlement.due_at,
        "failed": settlement.failures,
        "why": settlement.reason,
        "finished": now if settlement.is_final else None,
    }
