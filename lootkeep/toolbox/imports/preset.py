"""What a preset is: how one kind of export of a shop becomes rows of an import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lootkeep.toolbox.files.reading import BadRow, FileRow, Rows
from lootkeep.toolbox.imports.kinds import spellings

CellValues = dict[str, Any]


class Preset(NamedTuple):
    """How one kind of export becomes rows of an import."""

    # By lower-case heading; if several match one column, the first in the file counts. "" means no column.
    columns: Mapping[str, str]
    # Headings with money that is also in another column, or in another file.
    derived: frozenset[str] = frozenset()
    # None for a row that is not a record.
    convert: Callable[[CellValues], CellValues | None] = dict

    @property
    def headings(self) -> dict[str, str]:
        """The columns also as others write them: `transaction_id` is `Transaction ID` and `transactionId`."""
        return {spelling: self.columns[name] for spelling, name in spellings(self.columns).items()} | dict(self.columns)


def converted(rows: Rows, preset: Preset) -> Rows:
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif (values := preset.convert(dict(row.values))) is not None:
            yield FileRow(row.line, values, row.records)
