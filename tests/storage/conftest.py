"""An embedded database, and one of PostgreSQL with nothing in it, not even the schema."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from lootkeep.storage.engine.sqlite import SqliteDatabase
from tests.conftest import drop_postgres_database, new_postgres_database


@pytest.fixture
def file(tmp_path: Path, sqlite_template: Path) -> Path:
    path = tmp_path / "embedded.db"
    shutil.copy(sqlite_template, path)
    return path


@pytest.fixture
async def embedded(file: Path) -> AsyncIterator[SqliteDatabase]:
    db = SqliteDatabase(file)
    yield db
    await db.close()


@pytest.fixture
def new_postgres_url(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_new"))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))
