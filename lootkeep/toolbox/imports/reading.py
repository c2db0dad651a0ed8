"""CSV and NDJSON as a stream of rows with their line numbers; memory stays the same however long the file is."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from lootkeep.api.http.json import parse_object
from lootkeep.kernel.errors import StartupError, Unprocessable

# What the API takes as one request.
_MAX_ROW = 1024 * 1024
_TOO_LONG = "The row is longer than 1 MiB."


class FileRow(NamedTuple):
    """A row as it is in the file, and the line it begins on."""

    line: int
    values: dict[str, Any]


class BadRow(NamedTuple):
    """A row that cannot be read, and why."""

    line: int
    reason: str


Rows = Iterator[FileRow | BadRow]


class TooLong(Exception):
    """The row is longer than anything the store would take; it has been skipped."""


class Lines:
    """The lines of a file, counted. It goes on after it has raised, which a generator would not."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = _MAX_ROW
        self.number = 0
        self.bytes_read = 0

    def begin_row(self) -> int:
        """The next lines belong to a new row; gives the number of its first."""
        self._left = _MAX_ROW
        return self.number + 1

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> bytes:
        raw = self._read(self._left + 1)
        if not raw:
            raise StopIteration
        self.number += 1
        if len(raw) > self._left:
            while raw and not raw.endswith(b"\n"):
                raw = self._read(_MAX_ROW)
            raise TooLong
        self._left -= len(raw)
        return raw.removeprefix(codecs.BOM_UTF8) if self.number == 1 else raw

    def _read(self, size: int) -> bytes:
        raw = self._file.readline(size)
        self.bytes_read += len(raw)
        return raw


def csv_rows(lines: Lines, check_columns: Callable[[list[str]], None]) -> Rows:
    """Rows by the names in the header; an empty cell is a field that was not sent."""
    # Bytes that are not UTF-8 pass through here, so that their row alone is refused.
    texts = map(_decoded, lines)
    records = csv.reader(texts, strict=True)
    header = _header(lines, records)
    check_columns(header)
    while True:
        line = lines.begin_row()
        try:
            record = next(records)
            reason = _error(record, header)
        except StopIteration:
            return
        except TooLong:
            reason = _TOO_LONG
        except csv.Error as error:
            reason = f"The row cannot be read as CSV: {error}."
        if reason:
            yield BadRow(line, reason)
        elif record:
            yield FileRow(line, {name: cell for name, cell in zip(header, record, strict=True) if cell})


def ndjson_rows(lines: Lines) -> Rows:
    """One JSON object per line."""
    while True:
        line = lines.begin_row()
        try:
            raw = next(lines)
            if not raw.isspace():
                yield FileRow(line, parse_object(raw))
        except StopIteration:
            return
        except TooLong:
            yield BadRow(line, _TOO_LONG)
        except Unprocessable as reason:
            yield BadRow(line, reason.message.replace("The request body", "The line"))


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _header(lines: Lines, records: Iterator[list[str]]) -> list[str]:
    lines.begin_row()
    try:
        names = [name.strip().lower() for name in next(records)]
        error = _text_error(names)
    except StopIteration:
        raise StartupError("The file is empty: its first line must name the columns.") from None
    except (TooLong, csv.Error):
        error = "It cannot be read as CSV."
    if error:
        raise StartupError(f"The first line must name the columns. {error}")
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise StartupError(f"The first line names a column twice: {', '.join(twice)}.")
    return names


def _error(record: list[str], header: list[str]) -> str | None:
    """An empty line is no record and has none."""
    if record and len(record) != len(header):
        return f"The row has {len(record)} cells, but the first line names {len(header)} columns."
    return _text_error(record)


def _text_error(cells: list[str]) -> str | None:
    text = "".join(cells)
    if "\0" in text:
        return "The row holds a NUL character."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "The row is not UTF-8."
    return None
