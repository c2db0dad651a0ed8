"""`lootkeep import orders`: history comes as it was, and every total is right afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import customers, events, order_items, orders, refunds
from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text, ndjson, settings_for
from tests.cli.terminal import Terminal


@pytest.fixture
def shop(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    """With Ada and a sword."""
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("SWORD")
    store.run("customers", csv_text([CUSTOMER]))
    return store


def row(number: int, **fields: Any) -> dict[str, Any]:
    plain = {"external_id": f"o{number}", "customer_email": "ada@a.example", "items": "SWORD:2@4.00"}
    return plain | {"created_at": "2024-02-01T10:00:00Z", "payment_method": "paypal"} | fields


def test_every_outcome_is_imported_as_it_was(shop: ImportedStore) -> None:
    before = shop.rows(events)
    rows = [
        row(1, status="paid"),
        row(2, status="completed", discount="1.50"),
        row(3, status="refunded"),
        row(4, status="partially_refunded", refunds="1.00@2024-02-03T10:00:00Z;2.00"),
        row(5, status="cancelled"),
        row(6, status="paid", currency="EUR"),
    ]
    assert shop.tally("orders", csv_text(rows)) == (6, 0, 0)
    assert [(order["status"], order["total"], order["currency"]) for order in shop.rows(orders)] == [
        ("paid", 8_00, "USD"),
        ("completed", 6_50, "USD"),
        ("refunded", 8_00, "USD"),
        ("partially_refunded", 8_00, "USD"),
        ("cancelled", 8_00, "USD"),
        ("paid", 8_00, "EUR"),
    ]
    assert {order["payment_method"] for order in shop.rows(orders)} == {"paypal"}
    assert [refund["amount"] for refund in shop.rows(refunds)] == [8_00, 1_00, 2_00]
    (ada,) = shop.rows(customers)
    assert (ada["total_spent"], ada["orders_count"]) == (8_00 + 6_50 + 5_00, 4)
    assert shop.rows(events) == before
    assert shop.wrong_totals() == {}


def test_json_lines_import_the_same(shop: ImportedStore) -> None:
    items = [{"sku": "SWORD", "quantity": 2, "price": "4.00"}]
    back = [{"amount": "1.00", "reason": "late", "created_at": "2024-02-03T10:00:00Z"}]
    assert shop.tally("orders", ndjson([row(1, items=items, refunds=back)]), name="o.ndjson") == (1, 0, 0)
    assert [order["status"] for order in shop.rows(orders)] == ["partially_refunded"]
    assert [(refund["amount"], refund["reason"]) for refund in shop.rows(refunds)] == [(1_00, "late")]


def test_the_customer_of_an_order_is_found_by_a_column_named_email(shop: ImportedStore) -> None:
    order = row(1)
    email = order.pop("customer_email")
    assert shop.tally("orders", csv_text([order | {"email": email}])) == (1, 0, 0)
    mapped = csv_text([order | {"external_id": "o-2", "E-Mail": email}])
    assert shop.tally("orders", mapped, "--map", "E-Mail=email") == (1, 0, 0)


def test_current_prices_are_used_only_on_request(shop: ImportedStore) -> None:
    unpriced = csv_text([ORDER | {"items": "SWORD:1"}])
    assert shop.reason("orders", unpriced) == "Line 2: The items.0.price field is required, or --current-prices."
    assert shop.tally("orders", unpriced, "--current-prices") == (1, 0, 0)
    assert [item["price"] for item in shop.rows(order_items)] == [10_00]
