"""The writes of a PostgreSQL transaction that need no answer: collected, and sent as one statement."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

from lootkeep.storage.engine.database import OnAnswer
from lootkeep.storage.engine.query import Effect

_PARAMETER = re.compile(r"\$(\d+)")


class CollectedWrite(NamedTuple):
    sql: str
    arguments: Sequence[Any]
    # Raised if it changes no row.
    error: Exception | None = None
    # Gets the value that it returns.
    on_answer: OnAnswer | None = None


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

    def take(self) -> list[CollectedWrite]:
        writes, self._writes = self._writes, []
        self._tables.clear()
        return writes


# One for each combination of writes: an operation has a few. The flags say whose answers are asked for.
@lru_cache(maxsize=512)
def in_one_statement(statements: tuple[tuple[str, bool], ...]) -> str:
    """Runs them in this order, in which they are counted.

    Returns how many rows each has changed and its answer, in turns.
    """
    parts, outcomes, parameters = [], [], 0
    for number, (sql, has_answer) in enumerate(statements):
        shifted = _PARAMETER.sub(lambda match, before=parameters: f"${int(match[1]) + before}", sql)  # type: ignore[misc]
        name = f"w{number}(answer)" if has_answer else f"w{number}"
        parts.append(f"{name} AS ({shifted}{'' if ' RETURNING ' in sql else ' RETURNING 1'})")
        answer = f"(SELECT answer FROM w{number})" if has_answer else "NULL"  # noqa: S608
        outcomes.append(f"(SELECT count(*) FROM w{number}), {answer}")  # noqa: S608
        parameters += max(map(int, _PARAMETER.findall(sql)), default=0)
    return f"WITH {', '.join(parts)} SELECT {', '.join(outcomes)}"
