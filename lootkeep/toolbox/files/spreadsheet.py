"""The first sheet of an Excel workbook, as CSV."""

from __future__ import annotations

import csv
import io
import sys
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, BinaryIO

from lootkeep.kernel.errors import StartupError

# How files start that are not text: a workbook is a zip archive, one of before 2007 is not.
ZIP_START = b"PK\x03\x04"
OLD_EXCEL_START = b"\xd0\xcf\x11\xe0"
# A sheet has no more; a damaged file may claim billions.
_MAX_ROWS = 1_048_576
# A small archive can unpack to more than a machine has.
_MAX_UNPACKED = 1024**3
_DAMAGED = "The file cannot be read as an Excel workbook. Save it again as .xlsx, or save the sheet as CSV."


def write_as_csv(file: BinaryIO, copy: BinaryIO) -> str | None:
    """Its rows keep their numbers. Returns a sentence if there are sheets that were not read."""
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        raise StartupError(
            "Excel files are read with openpyxl, which is not installed here. Save the sheet as CSV and import that, "
            f"or run `{sys.executable} -m pip install openpyxl` (the extra lootkeep[excel])."
        ) from None
    text = io.TextIOWrapper(copy, encoding="utf-8", errors="replace", newline="")
    try:
        _check_size(file)
        with warnings.catch_warnings():
            # About styles and the like, which do not matter here.
            warnings.simplefilter("ignore")
            workbook = load_workbook(file, read_only=True, data_only=True)
            sheet, *others = workbook.worksheets
            csv.writer(text).writerows(_rows(sheet))
    except StartupError:
        raise
    except Exception:
        # A damaged archive or document raises anything.
        raise StartupError(_DAMAGED) from None
    finally:
        text.detach()
    names = ", ".join(other.title for other in others)
    return f"Only the first sheet, {sheet.title}, is read. Not read: {names}." if others else None


def _check_size(file: BinaryIO) -> None:
    with zipfile.ZipFile(file) as archive:
        if sum(part.file_size for part in archive.infolist()) > _MAX_UNPACKED:
            raise StartupError("The Excel file is too large: save the sheet as CSV and import that.")
    file.seek(0)


def _rows(sheet: Any) -> Iterator[list[str]]:
    """As wide as the first row; an empty row is an empty line."""
    # What the file says about its size may be wrong.
    sheet.reset_dimensions()
    width = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= _MAX_ROWS:
            raise StartupError(_DAMAGED)
        cells = [_text(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        width = width or len(cells)
        yield cells and [*cells, *[""] * (width - len(cells))]


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            # As many digits as a spreadsheet has, so 0.1 is not 0.1000000000000000055.
            return format(Decimal(f"{value:.15g}"), "f")
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return str(value)
