"""Two machines that serve, two that work, PostgreSQL with a replica, PgBouncer, Redis and HAProxy, under load."""

from __future__ import annotations

import pytest

from tests.machines.running import run, table
from tests.machines.scenarios import SCENARIOS


@pytest.mark.timeout(600)
def test_no_acknowledged_order_is_lost_whatever_happens_between_machines(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = run([scenario for scenario in SCENARIOS if scenario.is_short])
    with capsys.disabled():
        # How long everything took is for people to read; it is not asserted.
        print(f"\n{table(outcomes)}")
    assert [f"{outcome.name}: {fault}" for outcome in outcomes for fault in outcome.faults] == []
