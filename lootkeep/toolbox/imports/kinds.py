"""What every kind of import answers, so that one loop can run them all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol, TypeVar

from lootkeep.deps import Deps
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.totals.changes import CounterDeltas

Form = TypeVar("Form")
Existing = TypeVar("Existing")


class RecordKind(Protocol[Form, Existing]):
    """One kind of record that can be imported: how a row is checked, known again and written."""

    noun: str
    columns: frozenset[str]

    def missing(self, columns: Collection[str]) -> str | None:
        """What a CSV file lacks that every row would need."""
        ...

    def checked(self, values: dict[str, Any], now: Instant, *, is_text: bool) -> Form:
        """The row by the API's rules, or every reason against it; in CSV every value is a text."""
        ...

    def key(self, form: Form) -> str | None:
        """By what the record is known again when the file is run once more."""
        ...

    def unique(self, form: Form) -> dict[str, str]:
        """Fields, besides the key, that no two records share."""
        ...

    async def look_up(self, tx: Transaction, forms: Sequence[Form]) -> tuple[set[str], Existing]:
        """The keys that are there already, and what the rows refer to: once for a batch."""
        ...

    async def add(
        self, deps: Deps, tx: Transaction, forms: Sequence[Form], existing: Existing, changes: CounterDeltas
    ) -> list[bool | AppError]:
        """Writes the records, no two with the same key; False for one that was there already, or why it is refused."""
        ...
