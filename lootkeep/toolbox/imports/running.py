"""The loop of an import: rows are written in batches, one transaction each, and a bad row affects only itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Generic, NamedTuple

import msgspec

from lootkeep.deps import Deps
from lootkeep.kernel.errors import AppError, Unavailable, invalid
from lootkeep.storage.engine.database import Transaction
from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import BadRow, FileRow, Rows
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.kinds import Existing, Form, RecordKind

# Large enough that a commit costs little, small enough that a live store waits only a moment.
_BATCH = 500
# A live store may conflict with it now and then.
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.5
# Enough to see whether the columns are right.
_FIRST_ROWS = 3


class RowTally(msgspec.Struct):
    """The number of rows by result."""

    imported: int = 0
    skipped: int = 0
    refused: int = 0
    # Imported rows that a second run could not recognise.
    without_key: int = 0
    # Of a dry run: the line and the values of the first rows that would be imported.
    first_rows: list[tuple[int, dict[str, Any]]] = []


class CheckedRow(NamedTuple, Generic[Form]):
    """A valid row."""

    row: FileRow
    form: Form
    # As they were read.
    values: dict[str, Any]


class _DryRunRollback(Exception):
    """Ends the transaction of a dry run."""


class Import(Generic[Form, Existing]):
    """One run over one file."""

    def __init__(
        self,
        deps: Deps,
        kind: RecordKind[Form, Existing],
        dialect: Dialect,
        refuse: Callable[[BadRow], None],
        *,
        dry: bool,
    ) -> None:
        self.tally = RowTally()
        self._deps = deps
        self._kind = kind
        self._dialect = dialect
        self._report_refused = refuse
        self._is_dry = dry
        # Errors of the current batch: reported in the order of the file.
        self._refused: list[BadRow] = []
        # What a dry run would have written before; hashes, because there may be millions.
        self._imagined: set[int] = set()

    async def run(self, rows: Rows, advance: Callable[[RowTally], None]) -> None:
        while batch := list(islice(rows, _BATCH)):
            await self._write(list(self._checked(iter(batch))))
            for row in sorted(self._refused, key=lambda row: row.line):
                self._report_refused(row)
            self._refused.clear()
            advance(self.tally)

    def _checked(self, rows: Rows) -> Iterator[CheckedRow[Form]]:
        now = self._deps.clock.now()
        for row in rows:
            if isinstance(row, BadRow):
                self._refuse(row)
                continue
            cells_used = {name: value for name, value in row.values.items() if name in self._kind.columns}
            try:
                values = cells.read(cells_used, self._kind.readers, self._dialect)
                yield CheckedRow(row, self._kind.checked(dict(values), now), values)
            except AppError as reason:
                self._refuse(BadRow(row.line, sentences(reason), row.records))

    async def _write(self, batch: list[CheckedRow[Form]]) -> None:
        """All rows except those that the store rejects."""
        for attempt in range(_ATTEMPTS):
            outcomes: list[bool | AppError] = []
            try:
                await self._write_in_one(batch, outcomes)
                break
            except Unavailable:
                if attempt == _ATTEMPTS - 1:
                    raise
            await asyncio.sleep(_PAUSE_SECONDS)
        self._count(batch, outcomes)

    async def _write_in_one(self, batch: list[CheckedRow[Form]], outcomes: list[bool | AppError]) -> None:
        forms = [row.form for row in batch]
        try:
            async with self._deps.db.write(is_long=True) as tx:
                known_keys, existing = await self._kind.look_up(self._deps, tx, forms)
                for part in self._without_repeats(forms):
                    outcomes += await self._add(tx, part, known_keys, existing)
                if self._is_dry:
                    raise _DryRunRollback
        except _DryRunRollback:
            return

    def _without_repeats(self, forms: list[Form]) -> Iterator[list[Form]]:
        """Split where a key repeats: whether it exists is not clear until the others are written."""
        part: list[Form] = []
        keys: set[str | None] = set()
        for form in forms:
            key = self._kind.key(form)
            if key is not None and key in keys:
                yield part
                part, keys = [], set()
            part.append(form)
            keys.add(key)
        if part:
            yield part

    async def _add(
        self, tx: Transaction, forms: list[Form], known_keys: set[str], existing: Existing
    ) -> list[bool | AppError]:
        """The result of each; the keys of written records become known."""
        ahead = [self._ahead(form, known_keys) for form in forms]
        new = [form for form, outcome in zip(forms, ahead, strict=True) if outcome is None]
        new_rows = await self._kind.add(self._deps, tx, new, existing) if new else []
        keys = {
            self._kind.key(form) for form, result in zip(new, new_rows, strict=True) if not isinstance(result, AppError)
        }
        known_keys |= {key for key in keys if key is not None}
        rest = iter(new_rows)
        return [next(rest) if outcome is None else outcome for outcome in ahead]

    def _ahead(self, form: Form, known_keys: set[str]) -> bool | AppError | None:
        """What is certain without asking the store."""
        key = self._kind.key(form)
        if key in known_keys or self._is_imagined("key", key):
            return False
        for name, value in self._kind.unique(form).items():
            if self._is_imagined(name, value):
                return invalid(name, f"The {name.replace('_', ' ')} field has already been taken.")
        return None

    def _is_imagined(self, name: str, value: str | None) -> bool:
        return bool(self._imagined) and hash((name, value)) in self._imagined

    def _count(self, batch: list[CheckedRow[Form]], outcomes: list[bool | AppError]) -> None:
        for row, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, AppError):
                self._refuse(BadRow(row.row.line, sentences(outcome), row.row.records))
                continue
            if not outcome:
                self.tally.skipped += 1
                continue
            self.tally.imported += 1
            key = self._kind.key(row.form)
            self.tally.without_key += key is None
            if self._is_dry:
                if len(self.tally.first_rows) < _FIRST_ROWS:
                    self.tally.first_rows.append((row.row.line, row.values))
                self._imagined |= {hash(pair) for pair in self._kind.unique(row.form).items()}
                self._imagined |= {hash(("key", key))} if key is not None else set()

    def _refuse(self, row: BadRow) -> None:
        self.tally.refused += 1
        self._refused.append(row)


def sentences(reason: AppError) -> str:
    """All errors of a row, in one line."""
    if reason.fields:
        return " ".join(sentence for texts in reason.fields.values() for sentence in texts)
    return reason.message
