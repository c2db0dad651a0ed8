"""`lootkeep doctor` proposes a setting when accounts are made by buying."""

from __future__ import annotations

import apsw

from tests.cli.terminal import Terminal

MINUTE = 60_000_000


def fill(terminal: Terminal, at_once: int, later: int) -> None:
    """Customers with a first order each, within a minute of signing up or later."""
    store = apsw.Connection(str(terminal.folder / "lootkeep.db"))
    for number in range(at_once + later):
        ordered = MINUTE if number < at_once else MINUTE + 1
        store.execute(
            "INSERT INTO customers (id, email, name, status, accepts_marketing, email_status, referral_code, "
            "orders_count, total_spent, first_order_at, tags, search_text, created_at, updated_at) "
            "VALUES (?, ?, 'A', 'active', 0, 'ok', ?, 1, 0, ?, '[]', '', 0, 0)",
            (number + 1, f"{number}@a.example", f"CODE{number}", ordered),
        )
        store.execute(
            "INSERT INTO orders (customer_id, status, subtotal, discount_total, total, gift_card_total, "
            "refunded_total, currency, metadata, created_at, updated_at, paid_at) "
            "VALUES (?, 'paid', 100, 0, 100, 0, 0, 'USD', '{}', ?, 0, ?)",
            (number + 1, ordered, ordered),
        )
    store.close()


def test_doctor_proposes_the_setting_when_more_than_a_third_buy_within_a_minute(terminal: Terminal) -> None:
    terminal.call("migrate")
    fill(terminal, at_once=13, later=25)
    outcome = terminal.call("doctor")
    assert "13 of the last 38 new buyers ordered within a minute" in outcome.out
    assert "fraud_accounts_made_at_checkout" in outcome.out


def test_doctor_says_nothing_when_a_third_or_fewer_do(terminal: Terminal) -> None:
    terminal.call("migrate")
    fill(terminal, at_once=12, later=24)
    assert "fraud_accounts_made_at_checkout" not in terminal.call("doctor").out
