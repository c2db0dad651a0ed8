"""A PostgreSQL database with nothing in it, not even the schema."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.conftest import drop_postgres_database, new_postgres_database


@pytest.fixture
def new_postgres_url(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_new"))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))
