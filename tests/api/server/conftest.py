"""Fixtures: a service on its own database, on each engine in turn."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import asyncpg
import pytest

from tests.api.server.serving import PROGRAMS, RunningServer, environment, start, stop
from tests.conftest import ENGINES, new_postgres_database


@pytest.fixture(scope="module", params=ENGINES)
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The settings of a service on a database of its own, on each engine in turn."""
    if request.param == "sqlite":
        yield environment(f"sqlite:///{tmp_path_factory.mktemp('served')}/served.db")
        return
    yield request.getfixturevalue("postgres_settings")


@pytest.fixture(scope="module")
def postgres_settings(postgres_admin_url: str, worker_id: str) -> Iterator[dict[str, str]]:
    name = f"lootkeep_served_{worker_id}_{os.getpid()}"
    yield environment(asyncio.run(new_postgres_database(postgres_admin_url, name)))
    asyncio.run(_drop(postgres_admin_url, name))


@pytest.fixture(scope="module")
def served(database: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of the tests' module."""
    running = start(database, tmp_path_factory.mktemp("server"), PROGRAMS / "lootkeep", "serve")
    yield running
    stop(running)


async def _drop(admin_url: str, name: str) -> None:
    admin = await asyncpg.connect(admin_url)
    await admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    await admin.close()
