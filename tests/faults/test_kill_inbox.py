"""Services are killed while they store events, and workers before they apply them: nothing is lost or done twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.faults.kill_inbox import run

ORDERS = 150
SEED = 5


@pytest.mark.timeout(900)
def test_no_kill_loses_an_event_that_was_acknowledged_or_applies_one_twice(database_url: str, tmp_path: Path) -> None:
    # On SQLite the service has the only worker.
    victims = ["service"] * 12 if database_url.startswith("sqlite") else ["service", "worker"] * 6
    report = asyncio.run(run(database_url, tmp_path, victims, count=ORDERS, seed=SEED))
    assert (report.kills, report.cut > 0, report.held > 0) == (12, True, True)
    assert {it.provider_event_id for it in report.events} == report.acknowledged
    assert (len(report.events), {(it.status, it.reason) for it in report.events}) == (2 * ORDERS, {("applied", None)})
    assert {(row["status"], row["refunded_total"]) for row in report.orders} == {("partially_refunded", 5_00)}
    assert [report.sent.count(name) for name in ("order.paid", "order.refunded")] == [ORDERS, ORDERS]
    assert report.do_totals_agree
