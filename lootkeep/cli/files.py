"""Options that every command has which reads a file of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.files.dialect import Delimiter, Encoding

DelimiterOption = Annotated[
    Delimiter | None,
    typer.Option("--delimiter", help="What separates the cells, if it is not recognised.", show_default=False),
]
EncodingOption = Annotated[
    Encoding | None,
    typer.Option("--encoding", help="How the file is encoded, if it is not recognised.", show_default=False),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="HEADING=COLUMN",
        help='Which column a heading stands for, such as "E-Mail=email"; may be repeated.',
    ),
]


def mapped(pairs: Sequence[str]) -> dict[str, str]:
    """Columns by headings in small letters."""
    columns: dict[str, str] = {}
    for pair in pairs:
        heading, _, column = (part.strip().lower() for part in pair.rpartition("="))
        if not heading or not column:
            raise StartupError("--map takes HEADING=COLUMN, such as E-Mail=email.")
        columns[heading] = column
    return columns
