"""`lootkeep fraud calibrate` on a store about which little is known."""

from __future__ import annotations

import json

from tests.cli.terminal import Terminal


def test_a_store_without_old_orders_has_the_base_odds_of_an_ordinary_one(terminal: Terminal) -> None:
    terminal.call("migrate")
    outcome = terminal.call("fraud", "calibrate", "--accept")
    assert (outcome.code, outcome.err) == (0, "")
    assert "An order without points has a fraud probability of 1.0 %." in outcome.out
    assert "Nothing to change." in outcome.out
    report = json.loads(terminal.call("fraud", "calibrate", "--json").out)
    assert (report["base"]["orders"], report["signals"], report["changes"]) == (0, [], {})
