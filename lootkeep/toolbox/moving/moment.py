"""One moment of a store as rows in files: from them an export goes on that was interrupted, at the same moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from lootkeep.kernel import files
from lootkeep.storage.transfer.tables import Row, Selection, Source, queries
from lootkeep.toolbox.moving.counting import Advance, counted
from lootkeep.toolbox.moving.manifest import Manifest

NAME = "moment.json"
_SUFFIX = ".rows"
# Before each batch: how many bytes it has.
_LENGTH_BYTES = 8


class Moment(msgspec.Struct, frozen=True):
    # Two stores may have the same key.
    database: str
    # Still without its tables.
    manifest: Manifest
    # How many rows of each table there are.
    rows: dict[str, int] = {}

    def is_of(self, other: Moment) -> bool:
        """Whether both are of the same store, and of the same part of it."""
        return self._what() == other._what()

    def _what(self) -> tuple[str, Manifest]:
        return self.database, replace(self.manifest, exported_at="", last_ids={})


def interrupted(folder: Path, wanted: Moment) -> Moment | None:
    """The complete moment that an export before this one has left, if it is what is wanted."""
    try:
        moment = msgspec.json.decode((folder / NAME).read_bytes(), type=Moment)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
    return moment if moment.is_of(wanted) else None


def is_complete(folder: Path) -> bool:
    return (folder / NAME).exists()


async def take(folder: Path, wanted: Moment, source: Source, selection: Selection, advance: Advance) -> Moment:
    """Reads everything as fast as possible: a database keeps what it deletes for as long as a moment of it is read."""
    _empty(folder)
    rows = {
        table: await _write(rows_file(folder, table), counted(source.batches(query), table, advance))
        for table, query in queries(selection).items()
    }
    moment = replace(wanted, manifest=replace(wanted.manifest, last_ids=await source.last_ids()), rows=rows)
    # Last: with it the moment is complete.
    with files.written(folder / NAME) as draft:
        draft.write_bytes(msgspec.json.encode(moment))
    return moment


def batches(folder: Path, table: str) -> Iterator[list[Row]]:
    decode = msgspec.msgpack.Decoder(list[Row]).decode
    with rows_file(folder, table).open("rb") as file:
        while length := int.from_bytes(file.read(_LENGTH_BYTES)):
            yield decode(file.read(length))


def remove(folder: Path, table: str | None = None) -> None:
    """The rows of a table, or the moment itself, once they are written for readers."""
    (rows_file(folder, table) if table else folder / NAME).unlink(missing_ok=True)


def rows_file(folder: Path, table: str) -> Path:
    return folder / f"{table}{_SUFFIX}"


async def _write(file: Path, batches: AsyncIterator[list[Row]]) -> int:
    encode, rows = msgspec.msgpack.Encoder().encode, 0
    with files.written(file) as draft, draft.open("wb") as opened:
        async for batch in batches:
            packed = encode(batch)
            opened.write(len(packed).to_bytes(_LENGTH_BYTES) + packed)
            rows += len(batch)
    return rows


def _empty(folder: Path) -> None:
    """Of what another moment has left."""
    for leftover in folder.iterdir():
        leftover.unlink()
