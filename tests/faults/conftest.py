"""Fixture: the URL of an empty database that processes of their own open."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database


@pytest.fixture(params=ENGINES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path, worker_id: str, testrun_uid: str) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/store.db"
        return
    admin: str = request.getfixturevalue("postgres_admin_url")
    url = asyncio.run(new_postgres_database(admin, f"lootkeep_{testrun_uid[:8]}_{worker_id}_faults"))
    yield url
    asyncio.run(drop_postgres_database(admin, url))
