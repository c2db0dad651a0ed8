"""Writes the rejected rows as they were in the file, with the reason: ready to correct and import again."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lootkeep.kernel.errors import StartupError
from lootkeep.kernel.spreadsheet import plain_cell
from lootkeep.toolbox.files.reading import BadRow, RowFile

# The added column, which is ignored when the file is imported again.
REASON = "reason"


@contextmanager
def written_to(path: Path, rows: RowFile) -> Iterator[Callable[[BadRow], None]]:
    """In the dialect of the original file, so they are parsed the same way."""
    # A file from a spreadsheet will be opened in one.
    encoding = "utf-8-sig" if rows.dialect.has_byte_order_mark or rows.dialect.encoding != "utf-8" else "utf-8"
    try:
        opened = open(  # noqa: SIM115  closed below
            path, "w", newline="", encoding=encoding, opener=lambda name, flags: os.open(name, flags, 0o600)
        )
        # Customers are in it, and it may have been there before.
        os.fchmod(opened.fileno(), 0o600)
    except OSError as error:
        raise StartupError(f"{path} cannot be written: {error.strerror}.") from None
    with opened:
        if not rows.header:
            yield lambda row: opened.writelines(_objects(row))
            return
        headings = [heading.lower() for heading in rows.header]
        own = headings.index(REASON) if REASON in headings else None
        table = csv.writer(opened, delimiter=rows.dialect.delimiter.character)
        table.writerow([*_without(own, rows.header), REASON])
        width = len(rows.header)

        def write(row: BadRow) -> None:
            for record in row.records or [[]]:
                cells = [*record, *[""] * (width - len(record))]
                table.writerow([plain_cell(cell) for cell in (*_without(own, cells), row.reason)])

        yield write


def _objects(row: BadRow) -> Iterator[str]:
    for record in row.records or [{}]:
        assert isinstance(record, dict)
        yield msgspec.json.encode(record | {REASON: row.reason}).decode() + "\n"


def _without(index: int | None, cells: list[str]) -> list[str]:
    return cells if index is None else cells[:index] + cells[index + 1 :]
