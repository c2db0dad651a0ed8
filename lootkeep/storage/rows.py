"""The columns of a record, and the rows with one of several values: what belongs to the rows of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import BindParameter, Table, bindparam, select

from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query

R = TypeVar("R")


async def one_of(
    tx: Transaction, table: Table, column: str, record: Callable[..., R], values: Sequence[int]
) -> list[R]:
    """The rows with one of the values in this column, by id: related rows of a page."""
    if not values:
        return []
    distinct = sorted(set(values))
    # The last value is repeated, so there are few queries of different lengths.
    length = next(size for size in _LENGTHS if size >= len(distinct))
    distinct += distinct[-1:] * (length - len(distinct))
    return await tx.all(
        _one_of(table, column, record, length), **{f"of_{i}": value for i, value in enumerate(distinct)}
    )


_LENGTHS = (1, 5, 15, 50, 100)


@cache
def _one_of(table: Table, column: str, record: Callable[..., R], length: int) -> Query[R]:
    these: list[BindParameter[int]] = [bindparam(f"of_{number}") for number in range(length)]
    query = select(*columns_of(table, record)).where(table.c[column].in_(these))
    return Query(query.order_by(table.c.id), record)


def columns_of(table: Table, record: Callable[..., Any]) -> list[Any]:
    fields: tuple[str, ...] = getattr(record, "__struct_fields__")  # noqa: B009  not every callable has them
    return [table.c[name] for name in fields]
