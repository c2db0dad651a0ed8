"""Fixtures for the tests of the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from lootkeep.storage.engine.database import Engine
from tests.cli.import_store import ImportedStore, settings_for
from tests.cli.terminal import Terminal
from tests.conftest import drop_postgres_database, new_postgres_database


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(tmp_path, monkeypatch, capsys)


@pytest.fixture
def new_postgres_url(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    """A PostgreSQL database with nothing in it."""
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_new"))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture
def facts_store(db: Engine, db_location: Path | str, terminal: Terminal) -> ImportedStore:
    """A store with one product."""
    store = ImportedStore(terminal, settings_for(db_location))
    store.product("SWORD")
    return store
