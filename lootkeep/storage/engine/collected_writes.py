"""The writes of a PostgreSQL transaction that need no answer: collected, and sent as one statement."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

from lootkeep.storage.engine.query import Effect

_PARAMETER = re.compile(r"\$(\d+)")


class CollectedWrite(NamedTuple):
    sql: str
    arguments: Sequence[Any]
    # Raised if it changes no row.
    error: Exception | None = None


class CollectedWrites:
    """No two of them write one table: the parts of a statement do not see each other's rows."""

    def __init__(self) -> None:
        self._writes: list[CollectedWrite] = []
        self._tables: set[str] = set()

    def change(self, tables: Set[str] | None) -> bool:
        """Whether a statement that uses these tables has to wait for them."""
        return bool(self._writes) if tables is None else not self._tables.isdisjoint(tables)

    def add(self, effect: Effect, write: CollectedWrite) -> None:
        assert effect.target
        self._tables.add(effect.target)
        self._writes.append(write)

    def can_carry(self, effect: Effect) -> bool:
        """Whether a write whose answer is needed can be sent with them."""
        return bool(self._writes and effect.target) and not self.change(effect.tables) and not self._are_required()

    def _are_required(self) -> bool:
        return any(write.error for write in self._writes)

    def take(self) -> list[CollectedWrite]:
        writes, self._writes = self._writes, []
        self._tables.clear()
        return writes


# One for each combination of writes: an operation has a few.
@lru_cache(maxsize=512)
def in_one_statement(statements: tuple[str, ...], answering: str | None = None) -> str:
    """Runs them in this order, in which they are counted, and returns how many rows each has changed.

    With one more write, which is run last, it returns the rows of that one.
    """
    parts, parameters = [], 0
    for number, sql in enumerate((*statements, *([answering] if answering else []))):
        shifted = _PARAMETER.sub(lambda match, before=parameters: f"${int(match[1]) + before}", sql)  # type: ignore[misc]
        parts.append(f"w{number} AS ({shifted}{'' if ' RETURNING ' in sql else ' RETURNING 1'})")
        parameters += max(map(int, _PARAMETER.findall(sql)), default=0)
    counts = [f"(SELECT count(*) FROM w{number})" for number in range(len(statements))]  # noqa: S608
    if answering is None:
        return f"WITH {', '.join(parts)} SELECT {', '.join(counts)}"
    return f"WITH {', '.join(parts)} SELECT * FROM w{len(statements)} WHERE {' + '.join(counts)} >= 0"  # noqa: S608
