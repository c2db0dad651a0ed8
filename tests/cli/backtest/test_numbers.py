"""The figures of `lootkeep fraud backtest` are right and use only what was known at the time of each order."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.signals import SIGNALS
from lootkeep.toolbox.backtest.reading import PastOrder, PastOrders
from lootkeep.toolbox.backtest.replay import replay
from tests.cli.backtest.runs import ORDER, BacktestRun, past


def test_rings_of_fresh_accounts_are_distinguished_from_customers(run: BacktestRun) -> None:
    rows = past(3000)
    report = run.report(rows)
    assert (report["orders"], report["frauds"]) == (len(rows), sum(row["fraud"] for row in rows))
    assert report["auc"] > 0.85
    assert report["tpr_at_1pct_fpr"] > 0.7
    medium, high = report["sensitivity"][1:]
    assert (medium["level"], medium["precision"]) == ("medium", 1)
    assert (high["level"], high["recall"] > 0.6) == ("high", True)
    assert report["signals"][0]["name"] in ("account_age", "device_reuse")


def test_json_has_every_key(run: BacktestRun) -> None:
    report = run.report(past(200))
    assert set(report) >= {"orders", "frauds", "auc", "tpr_at_1pct_fpr", "thresholds", "signals", "seconds"}
    assert [row["score"] for row in report["thresholds"]] == list(range(10, 101, 10))
    assert {row["name"] for row in report["signals"]} == {signal.name for signal in SIGNALS}
    assert [(row["level"], row["threshold"]) for row in report["sensitivity"]] == [
        ("low", 80),
        ("medium", 60),
        ("high", 40),
    ]
    assert report["settings"] == "the defaults of a new store"
    assert (report["skipped"], report["skipped_rows"]) == (0, [])


def test_the_numbers_equal_a_count_by_hand(run: BacktestRun) -> None:
    rows = past(1500, seed=2)
    scores = {row["order_id"]: row for row in run.scores(rows)}
    report = run.report(rows)
    points = [(int(scores[row["order_id"]]["score"]), bool(row["fraud"])) for row in rows]
    frauds = [score for score, is_fraud in points if is_fraud]
    goods = [score for score, is_fraud in points if not is_fraud]
    pairs = sum((fraud > good) + 0.5 * (fraud == good) for fraud in frauds for good in goods)
    assert report["auc"] == pytest.approx(pairs / len(frauds) / len(goods))
    for row in report["thresholds"]:
        caught = [is_fraud for score, is_fraud in points if score >= row["score"]]
        assert (row["flagged"], row["frauds"]) == (len(caught), sum(caught))
        assert row["recall"] == pytest.approx(sum(caught) / len(frauds))
    blocked = [row for row in scores.values() if row["action_taken"] == "blocked"]
    assert len(blocked) == report["sensitivity"][1]["blocked"]


def test_scores_are_written_in_the_order_of_the_file(run: BacktestRun) -> None:
    rows = past(300)
    assert [row["order_id"] for row in run.scores(rows)] == [row["order_id"] for row in rows]


@pytest.mark.parametrize("order_id", ["=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(A1)"])
def test_an_order_id_that_is_a_formula_is_written_as_text(run: BacktestRun, order_id: str) -> None:
    assert [row["order_id"] for row in run.scores([ORDER | {"order_id": order_id}])] == [f"'{order_id}"]


def test_later_orders_do_not_count_against_an_order(run: BacktestRun) -> None:
    later = ORDER | {"order_id": "later", "email": "bob@a.example", "device_id": "d", "created_at": "2026-01-03"}
    earlier = ORDER | {"order_id": "earlier", "device_id": "d", "created_at": "2026-01-02"}
    assert {row["order_id"]: row["score"] for row in run.scores([later, earlier])} == {"later": "20", "earlier": "0"}


def test_orders_of_the_same_moment_keep_the_order_of_the_file(run: BacktestRun) -> None:
    rows = [ORDER | {"order_id": name, "email": f"{name}@a.example", "device_id": "d"} for name in "ab"]
    assert [row["score"] for row in run.scores(rows)] == ["0", "24"]


def test_labels_do_not_influence_scores(run: BacktestRun) -> None:
    rows = past(300)
    turned = [row | {"fraud": 1 - row["fraud"]} for row in rows]
    assert run.scores(rows) == run.scores(turned)


def test_accounts_are_identified_by_mailbox_without_a_customer_id(run: BacktestRun) -> None:
    emails = ["anna@gmail.com", "an.na+x@googlemail.com", "eve@a.example"]
    rows = [
        {"created_at": f"2026-01-0{day}", "device_id": "d", "email": email, "fraud": 0}
        for day, email in enumerate(emails, 1)
    ]
    assert [row["score"] for row in run.scores(rows)] == ["0", "5", "20"]


def test_velocity_is_exceeded_by_the_order_after_the_limit(run: BacktestRun) -> None:
    rows = [
        {"created_at": f"2026-01-01 10:0{n}:00", "customer_id": "ada", "ip_address": "203.0.113.9", "fraud": 0}
        for n in range(8)
    ]
    assert [row["score"] for row in run.scores(rows)] == ["0", "5", "15", "25", "35", "45", "45", "45"]


class NoLists:
    """Intelligence without any list."""

    def network(self, ip_address: str) -> NetworkFacts:
        return NetworkFacts()

    def is_disposable(self, domain: str) -> bool:
        return False


class FixedLists(NoLists):
    """Intelligence that knows one VPN and one disposable domain."""

    def network(self, ip_address: str) -> NetworkFacts:
        return NetworkFacts(is_vpn=ip_address == "203.0.113.9", country="DE")

    def is_disposable(self, domain: str) -> bool:
        return domain == "gone.example"


async def test_lists_are_taken_into_account() -> None:
    orders = [
        PastOrder(order_id="1", is_fraud=True, email="x@Gone.example", ip_address="203.0.113.9", billing_country="FR"),
        PastOrder(order_id="2", is_fraud=False, email="y@a.example"),
    ]
    judged = await replay(PastOrders(orders=orders), Policy(), FixedLists(), lambda done: None)
    assert [order.verdict.signals for order in judged] == [{"vpn": 10, "disposable_email": 20}, {}]
    assert judged[0].actions == {"low": "allowed", "medium": "allowed", "high": "allowed"}


def test_the_last_fifth_by_time_has_its_own_figures(run: BacktestRun) -> None:
    early: list[dict[str, Any]] = [
        ORDER | {"order_id": f"e{day}", "created_at": f"2026-01-{day:02}", "fraud": 0} for day in range(1, 9)
    ]
    late: list[dict[str, Any]] = [
        ORDER | {"order_id": "l1", "created_at": "2026-02-02", "fraud": 1, "user_agent": "curl/8.0"},
        ORDER | {"order_id": "l2", "created_at": "2026-02-01", "fraud": 0, "user_agent": "Mozilla/5.0"},
    ]
    rows = [{"user_agent": "Mozilla/5.0"} | row for row in [*late, *early]]
    report = run.report(rows)["last_fifth"]
    assert report == {"orders": 2, "frauds": 1, "auc": 1.0, "tpr_at_1pct_fpr": 1.0}


def test_removing_a_signal_does_not_make_a_score_negative(run: BacktestRun) -> None:
    times = ("2026-01-01", "2026-04-01", "2026-04-20", "2026-05-01")
    rows: list[dict[str, Any]] = [
        ORDER | {"created_at": time, "user_agent": "Mozilla/5.0", "fraud": 0} for time in times
    ]
    # A trusted customer of 20 - 15 points, and a fraud of none.
    rows[2]["user_agent"] = "curl/8.0"
    rows[3] |= {"email": "eve@a.example", "fraud": 1}
    gains = {row["name"]: row["auc_gain"] for row in run.report(rows)["signals"]}
    assert gains["user_agent_missing_or_bot"] == pytest.approx(1 / 3 - 1 / 2)


def test_other_settings_can_be_tried(run: BacktestRun) -> None:
    rows = [ORDER | {"created_at": "2026-01-01T10:00:30", "customer_created_at": "2026-01-01T10:00:00", "fraud": 0}]
    (run.terminal.folder / "settings.json").write_text('{"fraud_accounts_made_at_checkout": true}')
    assert [row["score"] for row in run.scores(rows)] == ["20"]
    report = run.report(rows, "--settings", "settings.json")
    assert (report["settings"], report["scores"]["good"][0]) == ("the settings of settings.json", 1)


def test_settings_that_cannot_be_used_are_named(run: BacktestRun) -> None:
    (run.terminal.folder / "settings.json").write_text('{"fraud_velocity_window_minutes": 5}')
    outcome = run([ORDER | {"created_at": "2026-01-01", "fraud": 0}], "--settings", "settings.json")
    assert (outcome.code, "fraud_velocity_window_minutes" in outcome.err) == (2, True)
