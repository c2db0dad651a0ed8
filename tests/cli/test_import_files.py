"""Files as spreadsheets and shops write them, columns that would be lost, and refused rows that come back."""

from __future__ import annotations

import csv
import json
import stat
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customers, orders
from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text, ndjson, settings_for
from tests.cli.terminal import Terminal

ROWS = "email,name,country,accepts_marketing,created_at\na@a.example,Zoë,South Korea,yes,2024-01-02 03:04:05\n"


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    return ImportedStore(terminal, settings_for(db_location))


@pytest.fixture
def shop(store: ImportedStore) -> ImportedStore:
    """With Ada and a sword."""
    store.product("SWORD")
    store.run("customers", csv_text([CUSTOMER]))
    return store


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "windows-1252"])
def test_delimiter_and_encoding_are_recognised(store: ImportedStore, delimiter: str, encoding: str) -> None:
    assert store.tally("customers", ROWS.replace(",", delimiter).encode(encoding)) == (1, 0, 0)
    (zoe,) = store.rows(customers)
    assert (zoe["name"], zoe["country"], bool(zoe["accepts_marketing"])) == ("Zoë", "KR", True)
    assert zoe["created_at"] == 1_704_164_645_000_000


def test_delimiter_and_encoding_can_be_given(store: ImportedStore) -> None:
    content = "name;email\nZoë;a@a.example\n".encode("windows-1252")
    options = ("--delimiter", "semicolon", "--encoding", "windows-1252")
    assert store.tally("customers", content, *options) == (1, 0, 0)
    assert store.run("customers", content, "--delimiter", "comma").sentence.startswith("The file lacks a column")


def test_headings_are_mapped(store: ImportedStore) -> None:
    content = "E-Mail;Full name\na@a.example;Ada\n"
    options = ("--map", "E-Mail=email", "--map", "full name=name")
    assert store.tally("customers", content, *options) == (1, 0, 0)
    assert store.tally(
        "customers", ndjson([{"E-Mail": "b@b.example", "name": "B"}]), *options[:2], name="c.ndjson"
    ) == (
        1,
        0,
        0,
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--map", "Mail=email"), "The file has no column named mail: it has email, name."),
        (
            ("--map", "email=e-mail"),
            "--map: customers have no column e-mail. Did you mean email? There are accepts_",
        ),
        (("--map", "email"), "--map takes HEADING=COLUMN, such as E-Mail=email."),
        (("--map", "name=email"), "The first line has a column twice: email."),
        (("--ignore", "size"), "The file has no column named size: it has email, name."),
        (("--errors", "customers.csv"), "--errors is the file that is imported: choose another name."),
    ],
)
def test_options_that_do_not_match_the_file_are_rejected(
    store: ImportedStore, options: tuple[str, ...], sentence: str
) -> None:
    assert store.run("customers", "email,name\n", *options).sentence.startswith(sentence)


def test_amounts_have_a_decimal_comma_between_semicolons(shop: ImportedStore) -> None:
    row = ORDER | {"items": "SWORD:2@1.234,50;SWORD:1@4", "discount": "0,50", "refunds": "3,00", "total": "2.472,50"}
    content = csv_text([row]).replace(",", "|")
    cells = [[cell.replace("|", ",") for cell in record] for record in csv.reader(content.splitlines(), delimiter="|")]
    semicolons = "\n".join(";".join(f'"{cell}"' for cell in record) for record in cells)
    assert shop.tally("orders", semicolons) == (1, 0, 0)
    (order,) = shop.rows(orders)
    assert (order["total"], order["discount_total"], order["refunded_total"]) == (2472_50, 50, 3_00)


def test_a_total_that_differs_from_the_items_is_rejected(shop: ImportedStore) -> None:
    reason = shop.reason("orders", csv_text([ORDER | {"total": "11.90"}]))
    assert reason == "Line 2: The total field differs from 10.00, the items minus the discount."


def test_amounts_that_would_be_lost_stop_an_import_before_it_begins(shop: ImportedStore) -> None:
    rows = [ORDER | {"Taxes": "1.90", "Shipping": "0.00", "Tax class": "full"}, ORDER | {"Taxes": "2", "Tip": ""}]
    stopped = shop.run("orders", csv_text(rows))
    assert stopped.err == (
        "Ignored columns: tax class.\n"
        "Error: These columns contain money that would be lost: taxes (2 rows). Nothing was imported. "
        'Run it again with --ignore "taxes" to import everything without these amounts, or map a column with --map.\n'
    )
    assert shop.rows(orders) == []
    accepted = shop.run("orders", csv_text(rows), "--ignore", "Taxes")
    assert accepted.err == "Ignored columns: tax class.\n"
    assert len(shop.rows(orders)) == 1


def test_json_lines_are_checked_as_well(store: ImportedStore) -> None:
    lines = ndjson([CUSTOMER, CUSTOMER | {"email": "b@b.example", "shoe_size": 44, "balance": 12.5}])
    assert "lost: balance (1 row)" in store.run("customers", lines, name="c.ndjson").sentence
    assert store.rows(customers) == []


def test_rejected_rows_are_written_unchanged_and_can_be_imported_once_corrected(store: ImportedStore) -> None:
    content = "Name;E-Mail;Size\nAda;a@a.example;S\nB;nobody;\nC;c@c.example\nD;d@d.example;L\nE;;\n"
    options = ("--map", "E-Mail=email", "--errors", "bad.csv")
    outcome = store.run("customers", content, *options)
    assert outcome.out.startswith("2 customers imported, 0 skipped, 3 rejected, in ")
    bad = store.terminal.folder / "bad.csv"
    assert bad.read_text().splitlines() == [
        "Name;E-Mail;Size;reason",
        "B;nobody;;The email field must be a valid e-mail address.",
        "C;c@c.example;;The row has 2 cells, but the first line has 3 columns.",
        "E;;;The email field is required.",
    ]
    corrected = bad.read_text().replace("nobody", "b@b.example")
    again = store.run("customers", corrected, "--map", "E-Mail=email", "--errors", "bad2.csv", name="bad1.csv")
    assert again.out.startswith("2 customers imported, 0 skipped, 1 rejected, in ")
    assert (store.terminal.folder / "bad2.csv").read_text().splitlines() == [
        "Name;E-Mail;Size;reason",
        "E;;;The email field is required.",
    ]


def test_rejected_rows_are_readable_by_their_owner_only(store: ImportedStore) -> None:
    for name in ("bad.csv", "was-there.csv"):
        (store.terminal.folder / "was-there.csv").touch(0o644)
        store.run("customers", "email,name\nx,X\n", "--errors", name)
        assert stat.S_IMODE((store.terminal.folder / name).stat().st_mode) == 0o600


def test_rejected_rows_are_in_the_order_of_the_file(shop: ImportedStore) -> None:
    wrong = [{"items": "BOW:1@1.00"}, {"items": "?"}, {"customer_email": "x@x.example"}, {"created_at": "soon"}]
    rows = [ORDER | {"external_id": f"o{number}"} | fields for number, fields in enumerate(wrong)]
    shop.run("orders", csv_text(rows), "--errors", "bad.csv")
    with (shop.terminal.folder / "bad.csv").open(newline="") as file:
        assert [row["external_id"] for row in csv.DictReader(file)] == ["o0", "o1", "o2", "o3"]


def test_a_formula_in_a_rejected_row_is_text_in_the_file_and_imported_as_it_was(store: ImportedStore) -> None:
    store.run("customers", csv_text([{"email": "x", "name": "=1+1"}]), "--errors", "bad.csv")
    written = (store.terminal.folder / "bad.csv").read_text()
    assert "x,'=1+1," in written
    assert store.tally("customers", written.replace("x,", "x@x.example,")) == (1, 0, 0)
    assert [row["name"] for row in store.rows(customers)] == ["=1+1"]


def test_rejected_json_lines_are_written_with_a_reason(store: ImportedStore) -> None:
    store.run("customers", ndjson([{"email": "x", "name": "X"}]), "--errors", "bad.ndjson", name="c.ndjson")
    assert json.loads((store.terminal.folder / "bad.ndjson").read_text()) == {
        "email": "x",
        "name": "X",
        "reason": "The email field must be a valid e-mail address.",
    }


def test_rejected_rows_of_a_spreadsheet_open_in_a_spreadsheet(store: ImportedStore) -> None:
    store.run("customers", "email;name\nx;Zoë\n".encode("utf-16"), "--errors", "bad.csv")
    assert (store.terminal.folder / "bad.csv").read_bytes().startswith("\ufeffemail;name;reason".encode())
