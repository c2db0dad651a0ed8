"""A database that counts its transactions."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from lootkeep.deps import Deps
from lootkeep.storage.engine.database import Database, Transaction


class CountedWrites:
    """The database of a test, which counts the transactions that write."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.count = 0

    def read(self, *, slow: bool = False) -> AbstractAsyncContextManager[Transaction]:
        return self._db.read(slow=slow)

    def write(self, *, single: bool = False, is_long: bool = False) -> AbstractAsyncContextManager[Transaction]:
        self.count += 1
        return self._db.write(single=single, is_long=is_long)

    def write_tokens(self) -> AbstractAsyncContextManager[Transaction]:
        return self._db.write_tokens()


def counted(deps: Deps) -> tuple[Deps, CountedWrites]:
    writes = CountedWrites(deps.db)
    return replace(deps, db=writes), writes
