"""Options of every command that reads a file of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.files.dialect import Delimiter, Encoding

DelimiterOption = Annotated[
    Delimiter | None,
    typer.Option("--delimiter", help="The delimiter, if it is not recognised.", show_default=False),
]
EncodingOption = Annotated[
    Encoding | None,
    typer.Option("--encoding", help="The encoding, if it is not recognised.", show_default=False),
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="HEADING=COLUMN",
        help='The column of a heading, such as "E-Mail=email"; can be repeated.',
    ),
]


def mapped(pairs: Sequence[str]) -> dict[str, str]:
    """Columns by lower-case heading."""
    columns: dict[str, str] = {}
    for pair in pairs:
        heading, _, column = (part.strip().lower() for part in pair.rpartition("="))
        if not heading or not column:
            raise StartupError("--map takes HEADING=COLUMN, such as E-Mail=email.")
        columns[heading] = column
    return columns
