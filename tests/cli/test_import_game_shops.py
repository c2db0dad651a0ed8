"""Exports of CraftingStore and SellAuth, with the columns of their APIs; and what a dry run shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customer_tags, customers, order_items, orders, products
from tests.cli.import_store import CUSTOMER, ImportedStore, csv_text, settings_for
from tests.cli.terminal import Terminal

UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5"
PACKAGES = """\
id,name,description,price,enabled
11,VIP Rank,A rank,9.99,true
12,"Keys, 5",,4.50,true
"""
PAYMENTS = f"""\
transactionId,inGameName,uuid,email,packageName,price,timestamp,status,gateway
T1,Notch,{UUID},ann@a.example,VIP Rank,9.99,1700000000,Completed,paypal
T2,Notch,{UUID},ann@a.example,"Keys, 5",4.50,1700000100,chargeback,paypal
T3,'; DROP TABLE orders; --,not-a-uuid,bob@b.example,VIP Rank,9.99,1700000200,pending,stripe
T4,Bob,,bob@b.example,VIP Rank,9.99,1700000300,mystery,stripe
T5,Bob,,bob@b.example,Unknown Package,9.99,1700000400,completed,stripe
"""
INVOICES = """\
id,unique_id,status,product_id,variant_id,price,currency,gateway,email,created_at,completed_at,customer_id,amount,price_usd
1,aa-1,completed,501,1,10.00,USD,STRIPE,ann@a.example,2025-02-07T03:37:00.045Z,2025-02-07T03:40:00.045Z,7,3,10.00
2,aa-2,pending,501,1,3.33,USD,STRIPE,bob@b.example,2025-02-08T03:37:00.045Z,,8,1,3.33
3,aa-3,completed,501,1,-5.00,USD,STRIPE,bob@b.example,2025-02-08T03:37:00.045Z,2025-02-08T03:37:00.045Z,8,1,0
"""


@pytest.fixture
def shop(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    return ImportedStore(terminal, settings_for(db_location))


def test_craftingstore_packages_customers_and_payments_are_imported(shop: ImportedStore) -> None:
    assert shop.tally("products", PACKAGES, "--from", "craftingstore") == (2, 0, 0)
    assert shop.tally("customers", PAYMENTS, "--from", "craftingstore") == (2, 3, 0)
    outcome = shop.run("orders", PAYMENTS, "--from", "craftingstore")
    assert outcome.out.startswith("3 orders imported, 0 skipped, 2 rejected, in ")
    assert [line.partition(":")[0] for line in outcome.err.splitlines()] == ["Line 5", "Line 6"]
    assert "status" in outcome.err.splitlines()[0]
    rows = [(row["external_id"], row["status"], row["player_id"], row["total"]) for row in shop.rows(orders)]
    assert rows == [("T1", "completed", UUID, 999), ("T2", "refunded", UUID, 450), ("T3", "cancelled", None, 999)]
    assert [row["name"] for row in shop.rows(customers)] == ["Notch", "'; DROP TABLE orders; --"]
    assert shop.wrong_totals() == {}


@pytest.mark.parametrize(
    "headings",
    [
        "transaction_id,in_game_name,uuid,email,package_name,price,timestamp,status,gateway",
        "Transaction ID,In-Game Name,UUID,E-Mail,Package Name,Price,Date,Status,Gateway",
    ],
)
def test_the_headings_of_a_preset_are_recognised_in_every_spelling(shop: ImportedStore, headings: str) -> None:
    payments = f"{headings}\n" + PAYMENTS.partition("\n")[2]
    shop.run("products", PACKAGES, "--from", "craftingstore")
    shop.run("customers", payments, "--from", "craftingstore")
    assert shop.tally("orders", payments, "--from", "craftingstore") == (3, 0, 2)
    assert [row["player_name"] for row in shop.rows(orders)] == ["Notch", "Notch", None]


def test_sellauth_invoices_are_imported_with_quantities(shop: ImportedStore) -> None:
    shop.run("products", "id,name,price,stock_count\n501,Account,3.34,5\n", "--from", "sellauth")
    assert shop.tally("customers", INVOICES, "--from", "sellauth") == (2, 1, 0)
    outcome = shop.run("orders", INVOICES, "--from", "sellauth")
    assert outcome.out.startswith("2 orders imported, 0 skipped, 1 rejected, in ")
    assert outcome.err.splitlines()[-1].startswith("Line 4: ")
    assert [(row["external_id"], row["status"], row["total"]) for row in shop.rows(orders)] == [
        ("aa-1", "completed", 1000),
        ("aa-2", "cancelled", 333),
    ]
    assert [(row["quantity"], row["price"]) for row in shop.rows(order_items)] == [(2, 333), (1, 334), (1, 333)]
    assert [(row["sku"], row["stock"]) for row in shop.rows(products)] == [("501", 5)]


def test_customers_have_tags_and_a_note(shop: ImportedStore) -> None:
    rows = [CUSTOMER | {"tags": "vip, old;vip", "note": "Asks for <b>invoices</b>"}, {"email": "b@b.example"}]
    rows[1] |= {"name": "B", "tags": "x" * 500}
    outcome = shop.run("customers", csv_text(rows))
    assert outcome.err.startswith("Line 3: The tags")
    (customer,) = shop.rows(customers)
    assert (json.loads(customer["tags"]), customer["note"]) == (["vip", "old"], "Asks for <b>invoices</b>")
    assert {row["tag"] for row in shop.rows(customer_tags)} == {"vip", "old"}


def test_headings_are_recognised_as_spreadsheets_write_them(shop: ImportedStore) -> None:
    content = "E-Mail,NAME,Created At,acceptsMarketing\na@a.example,Ada,2024-01-02,yes\n"
    outcome = shop.run("customers", content)
    assert (outcome.code, outcome.err) == (0, "")
    (customer,) = shop.rows(customers)
    assert customer["created_at"] == 1_704_153_600_000_000


def test_a_heading_that_is_almost_a_column_is_asked_about(shop: ImportedStore) -> None:
    missing = shop.run("customers", "emial,name\na@a.example,Ada\n")
    longer = shop.run("customers", "email,Full Name\na@a.example,Ada\n")
    ignored = shop.run("customers", "email,name,contry\na@a.example,Ada,KR\n")
    assert missing.sentence == 'The file lacks a column named email. Did you mean --map "emial=email"?'
    assert longer.sentence == 'The file lacks a column named name. Did you mean --map "full name=name"?'
    assert ignored.err == "Ignored columns: contry (did you mean country?).\n"


def test_a_dry_run_shows_the_first_rows_as_they_would_be(shop: ImportedStore) -> None:
    content = "email;name;country;created_at\n" + "".join(f"p{n}@a.example;P;South Korea;1.5.2024\n" for n in range(5))
    outcome = shop.run("customers", content, "--dry-run")
    lines = outcome.out.splitlines()
    values = {"email": "p0@a.example", "name": "P", "country": "KR", "created_at": "2024-05-01T00:00:00Z"}
    assert [line.partition(" would")[0] for line in lines] == ["Line 2", "Line 3", "Line 4", "5 customers"]
    assert json.loads(lines[0].removeprefix("Line 2 would be ")) == values
    summary = json.loads(shop.run("customers", content, "--dry-run", "--json").out)
    assert summary["first_rows"][0] == {"line": 2, "values": values}
    assert shop.rows(customers) == []


def test_a_dry_run_shows_only_the_end_of_a_code(shop: ImportedStore) -> None:
    outcome = shop.run("gift-cards", "code,initial_balance\nSECRET-CODE-1234,5.00\n", "--dry-run")
    assert ("SECRET" in outcome.out, "…1234" in outcome.out) == (False, True)
