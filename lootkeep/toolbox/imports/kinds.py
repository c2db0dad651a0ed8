"""What every kind of import answers, so that one loop can run them all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar

from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import CounterDeltas
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports.cells import CellReader

Form = TypeVar("Form")
Existing = TypeVar("Existing")


class RecordKind(Protocol[Form, Existing]):
    """One kind of record that can be imported: how a row is checked, known again and written."""

    noun: str
    # What a record is known again by, as text.
    key_name: str
    columns: frozenset[str]
    # How texts are read; all other columns are texts themselves.
    readers: Mapping[str, CellReader]

    def missing(self, columns: Collection[str]) -> str | None:
        """What a CSV file lacks that every row would need."""
        ...

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        """The rows of a CSV file as records, where one may have several rows."""
        ...

    def checked(self, values: dict[str, Any], now: Instant) -> Form:
        """The row by the API's rules, or every reason against it."""
        ...

    def key(self, form: Form) -> str | None:
        """By what the record is known again when the file is run once more."""
        ...

    def unique(self, form: Form) -> dict[str, str]:
        """Fields, besides the key, that no two records share."""
        ...

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[Form]) -> tuple[set[str], Existing]:
        """The keys that are there already, and what the rows refer to: once for a batch."""
        ...

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[Form], existing: Existing, changes: CounterDeltas
    ) -> list[bool | AppError]:
        """Writes the records, no two with the same key; False for one that was there already, or why it is refused."""
        ...


def missing_columns(needed: Collection[str], columns: Collection[str]) -> str | None:
    absent = [name for name in needed if name not in columns]
    return f"a column named {' and one named '.join(absent)}" if absent else None


def unknown_column(column: str, kind: RecordKind[Any, Any]) -> str:
    nearest = get_close_matches(column, kind.columns, n=1)
    question = f" Did you mean {nearest[0]}?" if nearest else ""
    return f"--map: {kind.noun} have no column {column}.{question} There are {', '.join(sorted(kind.columns))}."
