"""`lootkeep import disputes`, and what a file of orders says of payments and disputes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import disputes, events, fraud_checks, orders, payment_attempts, sightings
from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text, ndjson, settings_for
from tests.cli.terminal import Terminal

DISPUTE = {"order_external_id": "o1", "kind": "dispute", "reason": "fraudulent", "external_id": "dp_1"}


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("SWORD")
    store.run("customers", csv_text([CUSTOMER]))
    return store


def test_disputes_label_their_orders_once_and_announce_nothing(store: ImportedStore) -> None:
    store.run("orders", csv_text([ORDER]))
    before = store.rows(events)
    rows = [DISPUTE | {"at": "2024-03-01T10:00:00Z"}, DISPUTE | {"kind": "dispute_lost", "at": "2024-04-01T10:00:00Z"}]
    assert store.tally("disputes", csv_text(rows)) == (2, 0, 0)
    assert store.tally("disputes", csv_text(rows)) == (0, 2, 0)
    (check,) = store.rows(fraud_checks)
    assert (check["truth"], check["truth_source"]) == ("fraud", "dispute_lost")
    assert store.rows(events) == before


def test_a_dispute_without_an_order_is_rejected_with_a_reason(store: ImportedStore) -> None:
    assert "Order" in store.reason("disputes", csv_text([DISPUTE]))
    assert "kind" in store.reason("disputes", csv_text([DISPUTE | {"kind": "loss"}]))
    assert store.rows(disputes) == []


def test_an_order_brings_its_card_its_player_its_declines_and_its_dispute(store: ImportedStore) -> None:
    order = ORDER | {
        "payment_fingerprint": "fp_1",
        "payment_country": "de",
        "player_game": "minecraft",
        "player_name": "Notch",
        "declined_at": "2024-02-01T10:00:10Z;2024-02-01T10:00:20Z",
        "disputed_at": "2024-03-01T10:00:00Z",
    }
    json_order = ORDER | {
        "external_id": "o2",
        "items": [{"sku": "SWORD", "quantity": 1, "price": "10.00"}],
        "payment": {"fingerprint": "fp_1"},
        "player": {"game": "minecraft", "name": "notch"},
        "declined_at": ["2024-02-01T10:00:30Z"],
        "created_at": "2024-02-01T10:00:05Z",
    }
    assert store.tally("orders", csv_text([order])) == (1, 0, 0)
    assert store.tally("orders", ndjson([json_order]), name="orders.ndjson") == (1, 0, 0)
    assert [row["order_id"] for row in store.rows(payment_attempts)] == [1, 1, 2]
    assert [row["kind"] for row in store.rows(disputes)] == ["dispute"]
    cards = {row["value"] for row in store.rows(sightings) if row["kind"] == "instrument"}
    assert len(cards) == 1
    assert "fp_1" not in cards
    assert [row["value"] for row in store.rows(sightings) if row["kind"] == "player"] == ["minecraft:notch"]


def test_an_order_brings_the_tax_that_was_reported(store: ImportedStore) -> None:
    order = ORDER | {"tax_total": "1.60", "tax_rate": "19.0", "tax_country": "Germany"}
    assert store.tally("orders", csv_text([order, order | {"external_id": "o2", "tax_total": "10.01"}])) == (1, 0, 1)
    (row,) = store.rows(orders)
    assert (row["tax_total"], row["tax_rate"], row["tax_country"]) == (160, "19.0", "DE")
