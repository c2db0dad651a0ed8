"""The short form of killing the process that sends a campaign."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.faults.kill_campaigns import run

READERS = 300
KILLS = 4


def test_a_campaign_killed_repeatedly_reaches_everyone_and_marks_possible_duplicates(
    database_url: str, tmp_path: Path
) -> None:
    report = asyncio.run(run(database_url, tmp_path, readers=READERS, kills=KILLS, seed=7))
    assert (report.status, report.sent) == ("sent", READERS), (tmp_path / "log").read_text()[-2000:]
    assert len(report.arrived) == READERS
    # One e-mail in flight for each kill, and no more; none is sent twice without a mark.
    assert report.twice <= report.marked
    assert len(report.marked) <= KILLS
    assert report.perhaps_twice == len(report.marked)
    assert max(report.arrived.values()) <= 2
