"""`lootkeep fraud calibrate`: on a store about which little is known, and on one whose orders contradict the points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from lootkeep.storage.schema import fraud_policies
from tests.cli.import_store import CUSTOMER, ORDER, ImportedStore, csv_text, settings_for
from tests.cli.terminal import Terminal

ORDERS = 100


def test_a_store_without_old_orders_has_the_base_odds_of_an_ordinary_one(terminal: Terminal) -> None:
    terminal.call("migrate")
    outcome = terminal.call("fraud", "calibrate", "--accept")
    assert (outcome.code, outcome.err) == (0, "")
    assert "An order without points has a fraud probability of 1.0 %." in outcome.out
    assert "Nothing to change." in outcome.out
    report = json.loads(terminal.call("fraud", "calibrate", "--json").out)
    assert (report["base"]["orders"], report["signals"], report["changes"]) == (0, [], {})


@pytest.fixture
def store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    """Every second buyer has a tagged address, and nearly all of them were frauds."""
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("SWORD")
    people = [f"p{number}{'+x' if number % 2 else ''}@m{number}.example" for number in range(ORDERS)]
    store.run("customers", csv_text([CUSTOMER | {"email": email} for email in people]))
    orders = [
        ORDER
        | {
            "external_id": f"o{number}",
            "customer_email": email,
            "created_at": f"2024-02-01T{10 + number // 60}:{number % 60:02}:00Z",
            "paid_at": "2024-02-02T00:00:00Z",
            "completed_at": "2024-02-03T00:00:00Z",
            "disputed_at": "2024-03-01T00:00:00Z" if number % 2 or number < 20 else "",
        }
        for number, email in enumerate(people)
    ]
    assert store.tally("orders", csv_text(orders)) == (ORDERS, 0, 0)
    return store


def test_a_change_is_proposed_tried_on_the_last_fifth_and_applied_when_it_is_accepted(store: ImportedStore) -> None:
    outcome = store.terminal.call("fraud", "calibrate", **store.settings)
    for words in ("Signal", "Orders", "Frauds", "Lift, 95 %", "Points", "By data", "Proposed: tagged_email +10"):
        assert words in outcome.out, outcome.out
    assert "Tried on the last fifth by time (20 orders, 10 frauds): AUC" in outcome.out
    assert store.rows(fraud_policies) == []
    accepted = store.terminal.call("fraud", "calibrate", "--accept", **store.settings)
    assert "They are accepted." in accepted.out
    (version,) = store.rows(fraud_policies)
    assert json.loads(version["document"])["fraud_signal_points"] == {"tagged_email": 10}
    again = json.loads(store.terminal.call("fraud", "calibrate", "--json", **store.settings).out)
    (fit,) = [signal for signal in again["signals"] if signal["name"] == "tagged_email"]
    assert (fit["orders"], fit["points_given"]) == (40, 15.0)
