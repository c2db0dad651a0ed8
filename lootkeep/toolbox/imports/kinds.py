"""The interface of every kind of import, so one loop can run them all."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar

from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError
from lootkeep.storage.engine.database import Transaction
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import Rows
from lootkeep.toolbox.imports.cells import CellReader

# `emial` is near `email`; `own_referral_code` is something else than `referral_code`.
_NEAR = 0.75
_MAX_LETTERS = 2

Form = TypeVar("Form")
Existing = TypeVar("Existing")


class RecordKind(Protocol[Form, Existing]):
    """One kind of record that can be imported: how a row is validated, identified and written."""

    noun: str
    # The name of the key of a record, as text.
    key_name: str
    columns: frozenset[str]
    # How columns are parsed; all other columns are text.
    readers: Mapping[str, CellReader]

    def missing(self, columns: Collection[str]) -> str | None:
        """The required columns that a CSV file lacks."""
        ...

    def combined(self, rows: Rows, dialect: Dialect) -> Rows:
        """The rows of a CSV file as records, where one may have several rows."""
        ...

    def checked(self, values: dict[str, Any], now: Instant) -> Form:
        """The row after validation by the API's rules, or all its errors."""
        ...

    def key(self, form: Form) -> str | None:
        """The key that identifies the record when the file is imported again."""
        ...

    def unique(self, form: Form) -> dict[str, str]:
        """Fields, besides the key, that no two records share."""
        ...

    async def look_up(self, deps: Deps, tx: Transaction, forms: Sequence[Form]) -> tuple[set[str], Existing]:
        """The existing keys, and the references of the rows: once for a batch."""
        ...

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[Form], existing: Existing
    ) -> list[bool | AppError]:
        """Writes the records, no two with the same key; False for one that was there already, or why it is refused."""
        ...


def missing_columns(needed: Collection[str], columns: Collection[str]) -> str | None:
    absent = [name for name in needed if name not in columns]
    return f"a column named {' and one named '.join(absent)}" if absent else None


def spellings(columns: Collection[str]) -> dict[str, str]:
    """Columns by how spreadsheets write them: `Created at`, `created-at`, `createdAt`; and `E-Mail`."""
    pairs = {column.replace("_", sign): column for column in columns if "_" in column for sign in (" ", "-", "")}
    return pairs | ({"e-mail": "email"} if "email" in columns else {})


def meant(heading: str, columns: Collection[str], *, is_loose: bool = False) -> str | None:
    """The column that a heading misspells, or, loosely, that it ends with: `Full Name`; None if none is near."""
    name = re.sub("[ -]", "_", heading.lower())
    nearest = get_close_matches(name, columns, n=1, cutoff=_NEAR)
    if nearest and abs(len(nearest[0]) - len(name)) <= _MAX_LETTERS:
        return nearest[0]
    last = name.rpartition("_")[2]
    return last if is_loose and last in columns else None


def unknown_column(column: str, kind: RecordKind[Any, Any]) -> str:
    nearest = get_close_matches(column, kind.columns, n=1)
    question = f" Did you mean {nearest[0]}?" if nearest else ""
    return f"--map: {kind.noun} have no column {column}.{question} There are {', '.join(sorted(kind.columns))}."
