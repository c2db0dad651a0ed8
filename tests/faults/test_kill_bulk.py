"""The short form of killing the process that works a bulk action."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.faults.kill_bulk import run

ROWS = 300
KILLS = 4


def test_a_bulk_action_killed_repeatedly_acts_on_every_row_once(database_url: str, tmp_path: Path) -> None:
    statuses, replies, written = asyncio.run(run(database_url, tmp_path, rows=ROWS, kills=KILLS, seed=7))
    log = tmp_path / "log"
    assert statuses == {"done": ROWS}, log.read_text()[-2000:] if log.exists() else ""
    assert replies == {1: ROWS}
    assert written == ROWS
