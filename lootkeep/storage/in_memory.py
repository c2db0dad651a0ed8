"""A database in memory, for one transaction that is never committed: past orders are replayed into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import apsw

from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.sqlite import SqliteTransaction
from lootkeep.storage.totals.changes import Totals


@contextmanager
def transaction() -> Iterator[Transaction]:
    connection = apsw.Connection(":memory:")
    # As the embedded writer does: a statement is planned once.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.deserialize("main", _empty())
    connection.execute("BEGIN")
    tx = SqliteTransaction(connection)
    tx.totals = _NoTotals()
    yield tx
    connection.close()


@cache
def _empty() -> bytes:
    """The schema takes a tenth of a second to create, and nothing to copy."""
    connection = apsw.Connection(":memory:")
    connection.execute(migrations.script("sqlite", None)).fetchall()
    return connection.serialize("main")


class _NoTotals(Totals):
    """Nobody lists or counts what was replayed; counting it would take a third of the time."""

    def count(self, source: str, before: object | None, after: object | None) -> None:
        pass
