"""`lootkeep import`: what goes in, what is refused and why, and that a file can always be run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customers, events, order_items, orders, products, referrals
from tests.cli.import_store import (
    CUSTOMER,
    ORDER,
    ImportedStore,
    csv_text,
    ndjson,
    settings_for,
)
from tests.cli.terminal import Terminal


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    return ImportedStore(terminal, settings_for(db_location))


@pytest.fixture
def shop(store: ImportedStore) -> ImportedStore:
    """With Ada, a sword and a shield."""
    store.product("SWORD")
    store.product("SHIELD", price=5_00)
    store.run("customers", csv_text([CUSTOMER | {"external_id": "c1"}]))
    return store


def test_a_customer_is_imported_with_every_column(store: ImportedStore) -> None:
    code = store.referrer()
    columns = {
        "email": "Ada@A.example",
        "name": "Ada, Countess",
        "username": "ada",
        "external_id": "c1",
        "referral_code": code.lower(),
        "country": "gb",
        "ip_address": "203.0.113.9",
        "device_id": "d1",
        "accepts_marketing": "true",
        "created_at": "2024-01-02T03:04:05Z",
    }
    assert store.tally("customers", csv_text([columns])) == (1, 0, 0)
    ada = store.rows(customers)[-1]
    assert (ada["email"], ada["name"], ada["country"]) == ("ada@a.example", "Ada, Countess", "GB")
    assert (ada["external_id"], ada["username"], bool(ada["accepts_marketing"])) == ("c1", "ada", True)
    assert ada["created_at"] == 1_704_164_645_000_000
    assert [row["customer_id"] for row in store.rows(referrals)] == [ada["id"]]


def test_an_order_is_imported_as_paid_and_delivered_without_events(shop: ImportedStore) -> None:
    before = shop.rows(events)
    full = ORDER | {"items": "SWORD:2@8.00;SHIELD:1@4.00", "billing_country": "gb", "ip_address": "203.0.113.9"}
    assert shop.tally("orders", csv_text([full])) == (1, 0, 0)
    (order,) = shop.rows(orders)
    assert (order["status"], order["total"], order["billing_country"]) == ("completed", 20_00, "GB")
    assert [(item["sku"], item["quantity"]) for item in shop.rows(order_items)] == [("SWORD", 2), ("SHIELD", 1)]
    assert shop.rows(events) == before


def test_an_order_without_times_is_imported_as_pending_without_events(shop: ImportedStore) -> None:
    before = shop.rows(events)
    assert shop.tally("orders", csv_text([{"customer_email": "ada@a.example", "items": "SWORD:1"}])) == (1, 0, 0)
    assert [order["status"] for order in shop.rows(orders)] == ["pending"]
    assert shop.rows(events) == before


@pytest.mark.parametrize(
    "names", [{"customer_email": "ADA@a.example"}, {"customer_external_id": "c1"}, {"customer_id": "1"}]
)
def test_an_order_can_reference_its_customer_in_three_ways(shop: ImportedStore, names: dict[str, str]) -> None:
    assert shop.tally("orders", csv_text([names | {"items": "SWORD:1"}])) == (1, 0, 0)


def test_a_cell_is_matched_to_a_product_by_sku_first_and_then_by_id(shop: ImportedStore) -> None:
    shop.product("1", price=1_00)
    assert shop.tally("orders", csv_text([ORDER | {"items": "1:1@1.00;2:1@4;"}])) == (1, 0, 0)
    assert [item["sku"] for item in shop.rows(order_items)] == ["1", "SHIELD"]


def test_ndjson_supports_the_same_fields_in_its_own_types(shop: ImportedStore) -> None:
    ada = CUSTOMER | {"email": "ben@b.example", "accepts_marketing": True, "username": None}
    order = ORDER | {
        "items": [{"product_id": 1, "quantity": 2, "price": 8}, {"sku": "SHIELD", "quantity": 1, "price": "4.00"}]
    }
    assert shop.tally("customers", ndjson([ada]) + "\n", name="c.ndjson") == (1, 0, 0)
    assert shop.tally("orders", ndjson([order]), name="o.jsonl") == (1, 0, 0)
    assert [item["sku"] for item in shop.rows(order_items)] == ["SWORD", "SHIELD"]


BAD_CUSTOMERS = [
    ({"email": "nobody"}, "The email field must be a valid e-mail address."),
    ({"email": ""}, "The email field is required."),
    ({"name": "   "}, "The name field must not be blank."),
    ({"name": "x" * 256}, "The name field must not be greater than 255 characters."),
    ({"country": "XX"}, "The country field must be an ISO 3166-1 alpha-2 country code."),
    ({"ip_address": "300.1.1.1"}, "The ip address field must be a valid IP address."),
    ({"accepts_marketing": "maybe"}, "The accepts marketing field must be true or false."),
    ({"created_at": "yesterday"}, "The created at field must be a time like 2026-11-15T10:30:00Z."),
    ({"created_at": "2999-01-01T00:00:00Z"}, "The created at field must not be in the future."),
    ({"name": "a\0b"}, "The row contains a NUL character."),
    ({"name": "x" * 200_000}, "The row cannot be read as CSV: field larger than field limit (131072)."),
    ({"name": "x" * 2_000_000}, "The row is longer than 1 MiB."),
]


@pytest.mark.parametrize(("fields", "sentence"), BAD_CUSTOMERS, ids=lambda value: str(value)[:40])
def test_a_bad_customer_is_reported_with_its_line_and_the_others_are_imported(
    store: ImportedStore, fields: dict[str, str], sentence: str
) -> None:
    good = [CUSTOMER | {"email": f"{name}@a.example"} for name in ("a", "b")]
    content = csv_text([good[0], CUSTOMER | fields, good[1]])
    assert store.reason("customers", content) == f"Line 3: {sentence}"
    assert [row["email"] for row in store.rows(customers)] == ["a@a.example", "b@a.example"]


def test_every_failing_field_of_a_row_is_reported(store: ImportedStore) -> None:
    content = csv_text([{"email": "nobody", "name": "Ada", "country": "XX"}])
    assert store.reason("customers", content) == (
        "Line 2: The email field must be a valid e-mail address. "
        "The country field must be an ISO 3166-1 alpha-2 country code."
    )


def test_an_external_id_of_another_customer_is_rejected(store: ImportedStore) -> None:
    rows = [CUSTOMER | {"external_id": "c1"}, CUSTOMER | {"external_id": "c1", "email": "ben@b.example"}]
    assert (
        store.reason("customers", csv_text(rows))
        == "Line 3: The external id field has already been taken by customer 1."
    )


BAD_ORDERS = [
    ({"items": "BOW:1@1.00"}, "The items.0.sku field is not a product of this store."),
    ({"items": "SWORD:1@1.00;99:1@1.00"}, "The items.1.product id field is not a product of this store."),
    ({"items": "SWORD"}, "The items.0.quantity field is required."),
    ({"items": "SWORD:two"}, "The items.0.quantity field must be an integer."),
    ({"items": "SWORD:0"}, "The items.0.quantity field must be at least 1."),
    ({"items": "SWORD:1;SHIELD:1@2.00"}, "The items.0.price field is required, or --current-prices."),
    ({"items": "SWORD:1@cheap"}, "The items.0.price field must be a number with at most two decimals."),
    ({"items": ";"}, "The items field must not be empty."),
    ({"items": ""}, "The items field is required."),
    ({"customer_email": "ben@b.example"}, "The customer email field is not a customer of this store."),
    ({"customer_email": ""}, "The customer email field is required, or another column that identifies the customer."),
    ({"paid_at": "2024-01-01T00:00:00Z"}, "The paid at field must not be before the step that precedes it."),
    ({"created_at": ""}, "The created at field is required when paid at is given."),
    ({"paid_at": ""}, "The paid at field is required when completed at is given."),
    ({"external_id": "x" * 256}, "The external id field must not be greater than 255 characters."),
    ({"items": "COIN:1@1.00;SWORD:1@1.00"}, "The items field mixes products with different currencies."),
    (
        {"items": "RARE:4", "paid_at": "", "completed_at": ""},
        "The items.0.quantity field is more than what is in stock.",
    ),
]


@pytest.mark.parametrize(("fields", "sentence"), BAD_ORDERS, ids=lambda value: str(value)[:40])
def test_a_bad_order_is_reported_with_its_line_and_the_others_are_imported(
    shop: ImportedStore, fields: dict[str, str], sentence: str
) -> None:
    shop.product("COIN", currency="EUR")
    shop.product("RARE", stock=3)
    content = csv_text([ORDER, ORDER | {"external_id": "o2"} | fields, ORDER | {"external_id": "o3"}])
    assert shop.reason("orders", content) == f"Line 3: {sentence}"
    assert [row["external_id"] for row in shop.rows(orders)] == ["o1", "o3"]
    assert shop.wrong_totals() == {}


def test_an_order_rejected_by_the_store_leaves_no_trace(shop: ImportedStore) -> None:
    shop.product("RARE", stock=3)
    pending = {"customer_email": "ada@a.example", "created_at": "2024-02-01T10:00:00Z"}
    rows = [pending | {"items": "SHIELD:1;RARE:2"}] * 2 + [pending | {"items": "RARE:1"}]
    assert shop.tally("orders", csv_text(rows)) == (2, 0, 1)
    assert [row["stock"] for row in shop.rows(products)] == [None, None, 0]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{", "The line is not valid JSON."),
        ("[]", "The line must be a JSON object."),
        ('{"email": "b@b.example", "name": 5}', "The name field must be a string."),
        (
            '{"email": "b@b.example", "name": "B", "accepts_marketing": 1}',
            "The accepts marketing field must be true or",
        ),
        ('{"email": "b@b.example", "name": "B", "name": "C"}', "The line contains the same key twice."),
        ('{"email": "b@b.example", "name": "\\u0000"}', "The line contains a NUL character."),
        ('{"name": "' + "x" * 2_000_000 + '"}', "The row is longer than 1 MiB."),
    ],
    ids=lambda value: value[:40],
)
def test_a_bad_json_line_is_reported_and_the_others_are_imported(
    store: ImportedStore, line: str, sentence: str
) -> None:
    other_customer = CUSTOMER | {"email": "c@c.example"}
    content = ndjson([CUSTOMER]) + line + "\n" + ndjson([other_customer])
    assert store.reason("customers", content, name="c.ndjson").startswith(f"Line 2: {sentence}")
    assert len(store.rows(customers)) == 2


def test_bytes_that_are_not_utf_8_reject_only_their_row(store: ImportedStore) -> None:
    lines = [b"email,name", b"a@a.example,Ada", b"b@b.example,Bj\xf6rn", "c@c.example,Chloé".encode(), b""]
    assert store.reason("customers", b"\n".join(lines)) == "Line 3: The row is not UTF-8."
    assert [row["name"] for row in store.rows(customers)] == ["Ada", "Chloé"]


def test_a_spreadsheet_export_is_read_correctly(store: ImportedStore) -> None:
    """A byte order mark, CRLF, names in capitals, quoted line breaks, blank lines, lines of delimiters, no last end."""
    content = '\ufeffEmail , Name\r\n"a@a.example","Ada\r\n""the first"""\r\n\r\n,\r\nnobody,B\r\n,,\r\nc@c.example,C'
    assert store.reason("customers", content) == "Line 6: The email field must be a valid e-mail address."
    assert [row["name"] for row in store.rows(customers)] == ['Ada\r\n"the first"', "C"]


def test_unknown_columns_are_ignored_and_named(store: ImportedStore) -> None:
    outcome = store.run("customers", csv_text([CUSTOMER | {"own_referral_code": "MINE1234", "shoe_size": "44"}]))
    assert (outcome.code, outcome.err) == (0, "Ignored columns: own_referral_code, shoe_size.\n")
    assert store.rows(customers)[0]["referral_code"] != "MINE1234"


def test_rows_of_another_length_are_rejected(store: ImportedStore) -> None:
    content = "email,name\na@a.example\nb@b.example,B,C\nc@c.example,C\n"
    outcome = store.run("customers", content)
    assert outcome.err.splitlines() == [
        "Line 2: The row has 1 cell, but the first line has 2 columns.",
        "Line 3: The row has 3 cells, but the first line has 2 columns.",
    ]
    assert outcome.out.startswith("1 customer imported, 0 skipped, 2 rejected, in ")


def test_a_quote_that_never_ends_is_reported(store: ImportedStore) -> None:
    content = 'email,name\na@a.example,A\n"b@b.example,B\nc@c.example,C\n'
    assert store.reason("customers", content) == "Line 3: The row cannot be read as CSV: unexpected end of data."
    assert len(store.rows(customers)) == 1


@pytest.mark.parametrize(
    ("kind", "content", "sentence"),
    [
        ("customers", "", "The file is empty: its first line must have the column names."),
        ("customers", "email\n", "The file lacks a column named name."),
        ("customers", "a,b\n", "The file lacks a column named email and one named name."),
        ("customers", "email,email,name\n", "The first line has a column twice: email."),
        ("customers", b"\xff\xfee\0m", "The file is not UTF-16."),
        (
            "customers",
            b"em\0ail,name\n",
            "The first line must have the column names. The row contains a NUL character.",
        ),
        ("customers", b"caf\x81\n", "The first line must have the column names. The row is not Windows-1252."),
        ("orders", "external_id,customer_id\n", "The file lacks a column named items or item_sku."),
        ("orders", "items\n", "The file lacks a column named customer_id, customer_external_id or customer_email."),
    ],
)
def test_a_file_that_cannot_be_imported_at_all_is_rejected(
    store: ImportedStore, kind: str, content: str | bytes, sentence: str
) -> None:
    assert store.run(kind, content).sentence == sentence


def test_missing_files_and_unknown_formats_are_rejected(store: ImportedStore) -> None:
    call = store.terminal.call
    assert call("import", "customers", "none.csv", **store.settings).sentence == (
        "none.csv cannot be read: No such file or directory."
    )
    assert "add --format csv, ndjson or xlsx" in store.run("customers", "email,name\n", name="x.txt").sentence
    unwritable = store.run("customers", "email,name\n", "--errors", "no/folder.csv").sentence
    assert unwritable == "no/folder.csv cannot be written: No such file or directory."


def test_a_file_without_rows_is_not_an_error(store: ImportedStore) -> None:
    assert store.tally("customers", "email,name\n") == (0, 0, 0)
    assert store.tally("customers", "", name="c.ndjson") == (0, 0, 0)


def test_standard_input_can_be_imported_with_a_format(store: ImportedStore) -> None:
    piped = store.terminal.run("import", "customers", "-", "--format", "ndjson", **store.settings)
    assert (piped.code, piped.err) == (0, "")
    assert piped.out.startswith("0 customers imported, 0 skipped, 0 rejected, in ")
    assert store.tally("customers", csv_text([CUSTOMER]), "--format", "csv", name="c.txt") == (1, 0, 0)
