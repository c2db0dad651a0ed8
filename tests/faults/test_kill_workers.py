"""The short form of killing workers while they deliver; `tests.faults.kill_workers` has the long one."""

from __future__ import annotations

import pytest

from tests.faults.delivery_report import DeliveryReport, table
from tests.faults.kill_workers import on_postgresql, on_sqlite

KILLS = 10
DELIVERIES = 500
SEED = 4


def check(report: DeliveryReport) -> None:
    assert report.kills == KILLS
    assert report.sends >= DELIVERIES
    assert report.faults == 0, table([report])


@pytest.mark.timeout(900)
async def test_a_killed_server_on_sqlite_loses_nothing_and_sends_nothing_unrecorded() -> None:
    check(await on_sqlite(KILLS, DELIVERIES, SEED))


@pytest.mark.timeout(900)
async def test_killed_workers_on_postgresql_lose_nothing_and_send_nothing_unrecorded(postgres_admin_url: str) -> None:
    check(await on_postgresql(KILLS, DELIVERIES, SEED, postgres_admin_url))
