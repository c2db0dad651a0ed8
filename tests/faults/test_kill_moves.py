"""SIGKILL in the middle of an export, an import and a move: no half store, and the same command works again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import asyncpg
import pytest

from lootkeep.storage import migrations
from tests.cli import moved_store
from tests.cli.moved_store import dump, settings
from tests.cli.terminal import Terminal
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database

# A part of the sample store.
SOME_BYTES = 500_000


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    moved_store.make(tmp_path)
    return Terminal(tmp_path, monkeypatch, capsys, settings("sqlite:///lootkeep.db"))


@pytest.fixture(params=ENGINES)
def target(request: pytest.FixtureRequest, worker_id: str, testrun_uid: str) -> Iterator[str]:
    """The URL of an empty database."""
    if request.param == "sqlite":
        yield "sqlite:///new.db"
        return
    admin: str = request.getfixturevalue("postgres_admin_url")
    url = asyncio.run(new_postgres_database(admin, f"lootkeep_{testrun_uid[:8]}_{worker_id}_move"))
    yield url
    asyncio.run(drop_postgres_database(admin, url))


def test_an_export_that_is_killed_leaves_no_folder_and_can_be_repeated(store: Terminal) -> None:
    folder, part = store.folder / "out", store.folder / "out.part"
    _killed(store, lambda: (part / "customers.ndjson").exists(), "export", "out")
    assert (folder.exists(), part.exists()) == (False, True)
    assert store.run("export", "out").code == 0
    assert (folder.exists(), part.exists()) == (True, False)


def test_an_import_that_is_killed_leaves_an_empty_store_and_can_be_repeated(store: Terminal, target: str) -> None:
    first = dump(store, store.folder / "first")
    store.settings = settings(target)
    _killed(store, _is_copying(store, target), "import", "store", "first")
    assert store.run("export", "none").code == 1
    assert store.run("import", "store", "first").code == 0
    assert dump(store, store.folder / "second") == first


def test_a_move_that_is_killed_leaves_the_old_store_and_can_be_repeated(store: Terminal, target: str) -> None:
    first = dump(store, store.folder / "first")
    _killed(store, _is_copying(store, target), "move", "--to", target, "--yes")
    assert store.run("token", "create", "--name", "n", "--all-scopes", "--quiet").code == 0
    (store.folder / "lootkeep.db").unlink()
    assert store.run("import", "store", "first").code == 0
    assert store.run("move", "--to", target, "--yes").code == 0
    store.settings = settings(target)
    assert dump(store, store.folder / "second") == first


def test_a_move_that_is_killed_after_the_old_store_was_closed_is_finished_by_the_same_command(store: Terminal) -> None:
    first = dump(store, store.folder / "first")
    assert store.run("move", "--to", "sqlite:///new.db", "--yes").code == 0
    connection = apsw.Connection(str(store.folder / "new.db"))
    connection.execute("UPDATE schema_version SET version = ?", (migrations.UNFINISHED,))
    connection.close()
    assert "is the copy of a move that was interrupted" in store.run("serve", database_url="sqlite:///new.db").sentence
    assert store.run("move", "--to", "sqlite:///new.db", "--yes").code == 0
    store.settings = settings("sqlite:///new.db")
    assert dump(store, store.folder / "second") == first


def _killed(store: Terminal, is_time: Callable[[], bool], *arguments: str) -> None:
    process = store.start(*arguments)
    while not is_time():
        assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()


def _is_copying(store: Terminal, target: str) -> Callable[[], bool]:
    if target.startswith("sqlite"):
        draft = store.folder / "new.db.importing"
        return lambda: draft.exists() and draft.stat().st_size > SOME_BYTES
    return lambda: asyncio.run(_has_copy(target))


async def _has_copy(url: str) -> bool:
    connection = await asyncpg.connect(url)
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY %'"
    try:
        return bool(await connection.fetchval(query))
    finally:
        await connection.close()
