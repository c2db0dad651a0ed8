"""Excel files are imported, and no file ends an import with a traceback."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from openpyxl import Workbook

from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, StartupError
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customers
from lootkeep.toolbox.files.reading import FileOptions, FileRow, opened
from lootkeep.toolbox.imports import cells
from lootkeep.toolbox.imports.customers import Customers
from lootkeep.toolbox.imports.disputes import Disputes
from lootkeep.toolbox.imports.gift_cards import GiftCards
from lootkeep.toolbox.imports.ignored import look_through
from lootkeep.toolbox.imports.kinds import RecordKind
from lootkeep.toolbox.imports.orders import Orders
from lootkeep.toolbox.imports.preset import converted
from lootkeep.toolbox.imports.presets import ShopSoftware, preset_of
from lootkeep.toolbox.imports.products import Products
from lootkeep.toolbox.imports.subscriptions import Subscriptions
from tests.cli.import_store import ImportedStore, settings_for
from tests.cli.terminal import Terminal

KINDS: tuple[RecordKind[Any, Any], ...] = (
    Products(),
    Customers(),
    Orders(),
    Orders(accepts_loss=True),
    Disputes(),
    GiftCards(),
    Subscriptions(),
)
# A busy machine must not fail the tests.
FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
COLUMNS = sorted({column for kind in KINDS for column in kind.columns})
DAMAGED = "The file cannot be read as an Excel workbook. Save it again as .xlsx, or save the sheet as CSV."
LACKS = "The file lacks a column named email and one named name."


def workbook(*sheets: list[list[Any]]) -> bytes:
    """A file as Excel writes it."""
    book, content = Workbook(), io.BytesIO()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(content)
    return content.getvalue()


NOW = Instant(1_800_000_000_000_000)
SHEET: list[list[Any]] = [
    ["Email", "Name", "Accepts_Marketing", "Created_at", "External_id"],
    ["a@a.example", "Zoë", True, datetime.fromisoformat("2024-01-02T03:04:05"), 4711],
    [],
    ["b@b.example", "Ben", None, datetime.fromisoformat("2024-01-02"), 12.5],
    ["nobody", "C"],
]
WORKBOOK = workbook(SHEET)


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    return ImportedStore(terminal, settings_for(db_location))


def test_the_first_sheet_of_an_excel_file_is_imported(store: ImportedStore) -> None:
    content = workbook(SHEET, [["Notes"]])
    outcome = store.run("customers", content, "--errors", "bad.csv", name="c.xlsx")
    assert outcome.err.splitlines() == [
        "Only the first sheet, Sheet, is read. Not read: Sheet1.",
        "Line 5: The email field must be a valid e-mail address.",
    ]
    zoe, ben = store.rows(customers)
    assert (zoe["name"], bool(zoe["accepts_marketing"]), zoe["external_id"]) == ("Zoë", True, "4711")
    assert zoe["created_at"] == datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp() * 1_000_000
    assert (ben["external_id"], bool(ben["accepts_marketing"])) == ("12.5", False)
    bad = (store.terminal.folder / "bad.csv").read_text(encoding="utf-8-sig")
    assert bad.splitlines()[1].startswith("nobody,C,,,,The email field")


def test_without_openpyxl_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    """In its own process, where the package cannot be imported."""
    (tmp_path / "c.xlsx").write_bytes(WORKBOOK)
    code = (
        "import sys; sys.modules['openpyxl'] = None\n"
        "sys.argv = ['lootkeep', 'import', 'customers', 'c.xlsx']\n"
        "from lootkeep import cli; cli.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: Excel files are read with openpyxl, which is not installed here. Save the")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("c.csv", b"", "The file is empty: its first line must have the column names."),
        ("c.xlsx", b"", "The file is empty: its first line must have the column names."),
        ("c.csv", bytes(range(256)) * 40, "The first line must have the column names. The row contains a NUL"),
        ("c.csv", b"\xff\xfe" + b"\xd8" * 33, "The file is not UTF-16."),
        ("c.csv", b"email,name" + b"x" * 200_000, "The first line must have the column names. It cannot be read as"),
        ("c.xlsx", WORKBOOK[: len(WORKBOOK) // 2], DAMAGED),
        ("c.csv", WORKBOOK[:30], DAMAGED),
        ("c.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1", "The file is in the old Excel format (.xls): save it as .xlsx or as"),
        ("c.xlsx", workbook([]), "The file is empty: its first line must have the column names."),
        ("c.xlsx", workbook([["a"], ["b"]]), LACKS),
        ("c.txt", b"email,name\n", "The format is not clear from the file name: add --format csv, ndjson or xlsx."),
    ],
    # By number: a workbook contains the time at which it was made, and all processes must have the same names.
    ids=map(str, range(11)),
)
def test_a_file_that_cannot_be_imported_gets_a_sentence(
    terminal: Terminal, name: str, content: bytes, sentence: str
) -> None:
    (terminal.folder / name).write_bytes(content)
    assert terminal.call("import", "customers", name).sentence.startswith(sentence)


def test_a_folder_is_no_file(terminal: Terminal) -> None:
    (terminal.folder / "c.csv").mkdir()
    assert terminal.call("import", "customers", "c.csv").sentence == "c.csv cannot be read: Is a directory."


def test_a_json_line_may_have_a_large_field(store: ImportedStore) -> None:
    large = f'{{"email": "a@a.example", "name": "Ada", "remark": "{"x" * 200_000}"}}\n'
    assert store.tally("customers", large, name="c.ndjson") == (1, 0, 0)


def test_an_export_of_a_shop_is_not_ndjson(terminal: Terminal) -> None:
    (terminal.folder / "c.ndjson").write_bytes(b'{"First Name": 1}\n')
    outcome = terminal.call("import", "customers", "c.ndjson", "--from", "shopify")
    assert outcome.sentence.startswith("--from is for the CSV files that a shop exports")


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["1.00", "paid", "a@a.example"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_OBJECTS = st.dictionaries(st.sampled_from(COLUMNS), _VALUES, max_size=8)
_TABLES = st.tuples(
    st.lists(st.sampled_from([*COLUMNS, "Taxes", "Lineitem sku", "First Name"]), unique=True, max_size=6),
    st.lists(st.lists(st.text(max_size=12), max_size=7), max_size=5),
)


def _read(content: bytes, *, is_json: bool = False, shop: ShopSoftware | None = None) -> None:
    """Reads a file as an import does, without a store; only what has a sentence may be raised."""
    for kind in KINDS:
        preset = preset_of(shop, kind.noun) if shop else None
        try:
            with opened(
                io.BytesIO(content), FileOptions(is_json=is_json, preset=preset.columns if preset else {})
            ) as rows:
                look_through(rows, kind.columns)
                combined = kind.combined(rows.rows(), rows.dialect)
                for row in converted(combined, preset) if preset else combined:
                    if isinstance(row, FileRow):
                        _check(kind, {name: value for name, value in row.values.items() if name in kind.columns}, rows)
        except StartupError:
            continue


def _check(kind: RecordKind[Any, Any], values: dict[str, Any], rows: Any) -> None:
    try:
        kind.checked(cells.read(values, kind.readers, rows.dialect), NOW)
    except AppError:
        return


@FUZZ
@given(st.binary(max_size=300), st.sampled_from([b"", b"\xff\xfe", b"PK\x03\x04", b"email,name\n", b'{"email": ']))
def test_no_bytes_end_in_a_traceback(content: bytes, start: bytes) -> None:
    _read(start + content)
    _read(start + content, is_json=True)


@FUZZ
@given(st.integers(0, len(WORKBOOK)), st.integers(0, len(WORKBOOK)), st.binary(max_size=20))
def test_no_damaged_excel_file_ends_in_a_traceback(start: int, end: int, middle: bytes) -> None:
    _read(WORKBOOK[:start] + middle + WORKBOOK[end:])


@FUZZ
@given(st.lists(_OBJECTS, max_size=3))
def test_no_json_ends_in_a_traceback(objects: list[dict[str, Any]]) -> None:
    _read("".join(json.dumps(value) + "\n" for value in objects).encode(), is_json=True)


@FUZZ
@given(_TABLES, st.sampled_from([None, *ShopSoftware]))
def test_no_table_ends_in_a_traceback(table: tuple[list[str], list[list[str]]], shop: ShopSoftware | None) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([table[0], *table[1]])
    _read(text.getvalue().encode(), shop=shop)
