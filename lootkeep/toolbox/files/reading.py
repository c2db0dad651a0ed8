"""CSV, NDJSON and Excel files as rows with their line numbers; memory does not grow with the file."""

from __future__ import annotations

import codecs
import csv
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from tempfile import TemporaryFile
from typing import Any, BinaryIO, NamedTuple

from lootkeep.api.http.json import parse_object
from lootkeep.kernel.errors import StartupError, Unprocessable
from lootkeep.kernel.spreadsheet import original_cell
from lootkeep.kernel.wording import plural
from lootkeep.toolbox.files.dialect import Delimiter, Dialect, Encoding, recognised_delimiter, recognised_encoding
from lootkeep.toolbox.files.spreadsheet import OLD_EXCEL_START, ZIP_START, write_as_csv

# The maximum size of an API request.
_MAX_ROW = 1024 * 1024
_TOO_LONG = "The row is longer than 1 MiB."
_NAMES = {Encoding.utf_8: "UTF-8", Encoding.utf_16: "UTF-16", Encoding.windows_1252: "Windows-1252"}
# Enough to detect the encoding of a file.
_HEAD = 64

# A raw row of the file: cells, or an object.
FileRecord = list[str] | dict[str, Any]


class FileRow(NamedTuple):
    """A row by column, its first line, and all records of the file it consists of."""

    line: int
    values: dict[str, Any]
    records: Sequence[FileRecord]


class BadRow(NamedTuple):
    """A row that cannot be parsed, and why; with what could be parsed."""

    line: int
    reason: str
    records: Sequence[FileRecord] = ()


Rows = Iterator[FileRow | BadRow]


class FileOptions(NamedTuple):
    """What the user specifies about a file; the rest is detected."""

    delimiter: Delimiter | None = None
    encoding: Encoding | None = None
    # Columns by heading.
    columns: Mapping[str, str] = {}
    # The same for a known export: possible headings of the file; the first match counts.
    preset: Mapping[str, str] = {}
    ignored: frozenset[str] = frozenset()
    is_json: bool = False


class TooLong(Exception):
    """The row is longer than anything the store accepts; it was skipped."""


class FileLines:
    """The lines of a file, counted. It continues after raising, which a generator would not."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = _MAX_ROW
        self.number = 0
        self.bytes_read = 0

    def begin_row(self) -> int:
        """The next lines are a new row; returns the number of the first."""
        self._left = _MAX_ROW
        return self.number + 1

    def __iter__(self) -> FileLines:
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


class RowFile:
    """A file of rows, which can be read more than once."""

    def __init__(self, file: BinaryIO, dialect: Dialect, remark: str | None, options: FileOptions) -> None:
        self._options = options
        # What of the file is not read.
        self.remark = remark
        self._file = file
        self.dialect = dialect
        self.size = self._file.seek(0, 2)
        self._lines = FileLines(self._file)
        # The headings of the file, and their columns; NDJSON has none.
        self.header: list[str] = []
        self.columns: list[str] = []
        if not options.is_json:
            self._file.seek(0)
            self.header = _header(self._lines, self._records())
            if error := _text_error(self.header, self.dialect):
                raise StartupError(f"The first line must have the column names. {error}")
            self.columns = _columns(self.header, options)

    @property
    def bytes_read(self) -> int:
        return self._lines.bytes_read

    def rows(self) -> Rows:
        """From the start. An empty cell is a field that was not sent."""
        self._file.seek(0)
        self._lines = FileLines(self._file)
        return self._json_rows() if self._options.is_json else self._csv_rows()

    def _records(self) -> Iterator[list[str]]:
        # Bytes that are invalid in this encoding pass through here, so only their row is rejected.
        texts = map(partial(str, encoding=self.dialect.encoding, errors="surrogateescape"), self._lines)
        return csv.reader(texts, strict=True, delimiter=self.dialect.delimiter.character)

    def _csv_rows(self) -> Rows:
        lines, records = self._lines, self._records()
        _header(lines, records)
        while True:
            line, record = lines.begin_row(), []
            try:
                record = next(records)
                reason = self._error(record)
            except StopIteration:
                return
            except TooLong:
                reason = _TOO_LONG
            except csv.Error as error:
                reason = f"The row cannot be read as CSV: {error}."
            if reason:
                yield BadRow(line, reason, [[_as_text(cell) for cell in record]])
            elif any(record):
                cells = zip(self.columns, record, strict=True)
                yield FileRow(line, {name: original_cell(cell) for name, cell in cells if name and cell}, [record])

    def _json_rows(self) -> Rows:
        """One JSON object per line."""
        lines, encoding = self._lines, self.dialect.encoding
        while True:
            line = lines.begin_row()
            try:
                raw = next(lines)
                if not raw.isspace():
                    record = parse_object(raw if encoding is Encoding.utf_8 else raw.decode(encoding).encode())
                    values = {_column(name, self._options): value for name, value in record.items()}
                    yield FileRow(line, values, [record])
            except StopIteration:
                return
            except TooLong:
                yield BadRow(line, _TOO_LONG)
            except UnicodeDecodeError:
                yield BadRow(line, f"The row is not {_NAMES[encoding]}.")
            except Unprocessable as reason:
                yield BadRow(line, reason.message.replace("The request body", "The line"))

    def _error(self, record: list[str]) -> str | None:
        """A line without values is empty, also one of delimiters as spreadsheets write it; it is no record."""
        if any(record) and len(record) != len(self.columns):
            columns = plural(len(self.columns), "column")
            return f"The row has {plural(len(record), 'cell')}, but the first line has {columns}."
        return _text_error(record, self.dialect)


@contextmanager
def opened(file: BinaryIO, options: FileOptions) -> Iterator[RowFile]:
    """The rows of a file in its dialect; copied if it cannot be read twice, or not line by line."""
    with ExitStack() as stack:
        try:
            prepared = _prepared(file, options, stack)
        except OSError as error:
            raise StartupError(f"The file cannot be read: {error.strerror or error}.") from None
        yield RowFile(*prepared, options)


def _prepared(file: BinaryIO, options: FileOptions, stack: ExitStack) -> tuple[BinaryIO, Dialect, str | None]:
    if not file.seekable():
        copy = stack.enter_context(TemporaryFile())  # noqa: SIM115  the stack closes it
        shutil.copyfileobj(file, copy)
        file = copy
        file.seek(0)
    head = file.read(_HEAD)
    file.seek(0)
    if head.startswith(OLD_EXCEL_START):
        raise StartupError("The file is in the old Excel format (.xls): save it as .xlsx or as CSV.")
    if head.startswith(ZIP_START) and not options.is_json:
        copy = stack.enter_context(TemporaryFile())  # noqa: SIM115  the stack closes it
        remark = write_as_csv(file, copy)
        # Rejected rows go back to a spreadsheet.
        return copy, Dialect(has_byte_order_mark=True), remark
    encoding = options.encoding or recognised_encoding(head, file)
    file.seek(0)
    is_marked = head.startswith(codecs.BOM_UTF8) or encoding is Encoding.utf_16
    if encoding is Encoding.utf_16:
        file, encoding = _transcoded(file, head, stack), Encoding.utf_8
    delimiter = options.delimiter or Delimiter.comma
    if options.delimiter is None and not options.is_json:
        first = file.readline(_MAX_ROW).removeprefix(codecs.BOM_UTF8)
        delimiter = recognised_delimiter(first.decode(encoding, "replace"))
        file.seek(0)
    return file, Dialect(delimiter, encoding, is_marked), None


def _transcoded(file: BinaryIO, head: bytes, stack: ExitStack) -> BinaryIO:
    """UTF-16 as UTF-8: its lines cannot be separated by bytes."""
    is_marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    name = "utf-16" if is_marked else "utf-16-be" if not any(head[::2]) else "utf-16-le"
    copy = stack.enter_context(TemporaryFile())  # noqa: SIM115  the stack closes it
    try:
        for text in codecs.iterdecode(iter(partial(file.read, _MAX_ROW), b""), name):
            copy.write(text.encode())
    except UnicodeError:
        raise StartupError("The file is not UTF-16.") from None
    copy.seek(0)
    return copy


def _header(lines: FileLines, records: Iterator[list[str]]) -> list[str]:
    lines.begin_row()
    try:
        return [name.strip() for name in next(records)]
    except StopIteration:
        raise StartupError("The file is empty: its first line must have the column names.") from None
    except (TooLong, csv.Error):
        raise StartupError("The first line must have the column names. It cannot be read as CSV.") from None


def _columns(header: list[str], options: FileOptions) -> list[str]:
    """The column of each heading; None if it is ignored."""
    headings = {heading.lower() for heading in header}
    for name in (*options.columns, *options.ignored):
        if name not in headings:
            raise StartupError(f"The file has no column named {name}: it has {', '.join(header)}.")
    preset: dict[str, str] = {}
    for heading, column in options.preset.items():
        if heading in headings:
            preset[heading] = "" if column in preset.values() else column
    options = options._replace(preset=preset)
    columns = [_column(heading, options) for heading in header]
    twice = sorted({name for name in columns if name and columns.count(name) > 1})
    if twice:
        raise StartupError(f"The first line has a column twice: {', '.join(twice)}.")
    return columns


def _column(heading: str, options: FileOptions) -> str:
    name = heading.strip().lower()
    return "" if name in options.ignored else options.columns.get(name, options.preset.get(name, name))


def _as_text(cell: str) -> str:
    """What cannot be decoded, as it can be written."""
    return cell.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _text_error(cells: list[str], dialect: Dialect) -> str | None:
    text = "".join(cells)
    if "\0" in text:
        return "The row contains a NUL character."
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"The row is not {_NAMES[dialect.encoding]}."
    return None
