"""The short form of killing the process that works a bulk action."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.faults.kill_bulk import run

ROWS = 300
KILLS = 4


@pytest.fixture(params=ENGINES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path, worker_id: str, testrun_uid: str) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/store.db"
        return
    admin: str = request.getfixturevalue("postgres_admin_url")
    url = asyncio.run(new_postgres_database(admin, f"lootkeep_{testrun_uid[:8]}_{worker_id}_bulk"))
    yield url
    asyncio.run(drop_postgres_database(admin, url))


def test_a_bulk_action_killed_repeatedly_acts_on_every_row_once(database_url: str, tmp_path: Path) -> None:
    statuses, replies, written = asyncio.run(run(database_url, tmp_path, rows=ROWS, kills=KILLS, seed=7))
    log = tmp_path / "log"
    assert statuses == {"done": ROWS}, log.read_text()[-2000:] if log.exists() else ""
    assert replies == {1: ROWS}
    assert written == ROWS
