"""SIGKILL of an export, an import and a move at many points: no half store, and the same command goes on."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lootkeep.storage.transfer.tables import FIELDS
from tests.cli import moved_store
from tests.cli.moved_store import dump, manifest, read, settings
from tests.cli.terminal import Terminal
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database

PROGRESS = "cli/progress.py:<lambda>"
READING = (f"{PROGRESS}:1", f"{PROGRESS}:50")
# One table is half written, the next one is not begun, the manifest is there but the folder has not its name.
WRITING = (
    "moving/folder.py:write:1",
    "moving/records.py:lines:20",
    "moving/folder.py:_write_table:40",
    f"moving/moment.py:remove:{len(FIELDS) + 1}",
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    moved_store.make(folder)
    return folder / "lootkeep.db"


@pytest.fixture
def databases(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[list[str]]:
    """Empty ones on PostgreSQL."""
    names = [f"lootkeep_{testrun_uid[:8]}_{worker_id}_kill{number}" for number in range(2)]
    urls = [asyncio.run(new_postgres_database(postgres_admin_url, name)) for name in names]
    yield urls
    for url in urls:
        asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture(params=ENGINES)
def store(
    request: pytest.FixtureRequest,
    sample: Path,
    databases: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Terminal:
    """The sample store on each engine."""
    shutil.copy(sample, tmp_path / "lootkeep.db")
    terminal = Terminal(tmp_path, monkeypatch, capsys, settings("sqlite:///lootkeep.db"))
    if request.param == "postgresql":
        assert terminal.call("move", "--to", databases[0], "--yes").code == 0
        terminal.settings = settings(databases[0])
    return terminal


@pytest.fixture
def targets(store: Terminal, databases: list[str]) -> list[str]:
    """Two empty databases of the other engine."""
    return ["sqlite:///a.db", "sqlite:///b.db"] if _engine(store) == "postgres" else databases


def test_an_export_killed_at_many_points_goes_on_with_the_moment_that_it_has_read(store: Terminal) -> None:
    for mark in READING:
        store.killed_at(mark, "export", "out")
        assert not (store.folder / "out").exists()
        _write(store)
    first = dump(store, store.folder / "first")
    for mark in WRITING:
        store.killed_at(mark, "export", "out")
        assert not (store.folder / "out").exists()
        # What comes later is not in it.
        _write(store)
    done = store.call("export", "out")
    assert (done.code, "was interrupted and goes on" in done.err) == (0, True)
    assert read(store.folder / "out") == first
    assert {path.name for path in store.folder.iterdir() if path.is_dir()} == {"first", "out"}
    assert {path.suffix for path in (store.folder / "out").iterdir()} == {".ndjson", ".json"}


def test_ctrl_c_ends_an_export_and_an_import_while_they_write(store: Terminal, targets: list[str]) -> None:
    first = dump(store, store.folder / "first")
    assert store.interrupted_at("moving/folder.py:_write_table:40", "export", "out").code == 130
    assert "was interrupted and goes on" in store.call("export", "out").err
    assert read(store.folder / "out") == first
    store.settings = settings(targets[0])
    assert store.interrupted_at(f"{PROGRESS}:50", "import", "store", "out").code == 130
    assert store.call("export", "none").code == 1
    assert store.call("import", "store", "out").code == 0


def test_an_interrupted_export_of_something_else_is_not_gone_on_with(store: Terminal) -> None:
    store.killed_at(WRITING[0], "export", "out")
    assert store.call("export", "out", "--only", "orders,customers").code == 0
    assert manifest(store.folder / "out")["selection"] == {"only": ["customers", "orders"]}
    assert {path.stem for path in (store.folder / "out").iterdir()} == {"customers", "orders", "manifest"}


def test_an_import_killed_at_many_points_leaves_no_store_and_can_be_repeated(
    store: Terminal, targets: list[str]
) -> None:
    first = dump(store, store.folder / "first")
    store.settings = settings(targets[0])
    for mark in (*READING, f"transfer/{_engine(store)}.py:commit:1"):
        store.killed_at(mark, "import", "store", "first")
        assert store.call("export", "none").code == 1
    assert store.call("import", "store", "first").code == 0
    assert dump(store, store.folder / "second") == first


def test_a_move_killed_at_many_points_leaves_the_old_store_open_until_the_new_one_is_complete(
    store: Terminal, targets: list[str]
) -> None:
    source, target = _engine(store), "sqlite" if _engine(store) == "postgres" else "postgres"
    for mark in (*READING, f"transfer/{target}.py:commit:1", f"transfer/{source}.py:mark_moved:1"):
        store.killed_at(mark, "move", "--to", targets[0], "--yes")
        _write(store)
    # Complete, but nobody has closed the old one: it is no store.
    copy = store.call("token", "list", database_url=targets[0]).sentence
    assert "is the copy of a move that was interrupted" in copy
    assert store.call("move", "--to", targets[0], "--yes").code == 1
    first = dump(store, store.folder / "first")
    store.killed_at("wiring/transfer.py:set_stamp:1", "move", "--to", targets[1], "--yes")
    assert "was moved to" in store.call("token", "list").sentence
    assert store.call("token", "list", database_url=targets[1]).code == 1
    assert store.call("move", "--to", targets[1], "--yes").code == 0
    store.settings = settings(targets[1])
    assert dump(store, store.folder / "second") == first


def _engine(store: Terminal) -> str:
    return "sqlite" if store.settings["database_url"].startswith("sqlite") else "postgres"


def _write(store: Terminal) -> None:
    """The store is open."""
    done = store.call("token", "create", "--name", "n", "--all-scopes", "--quiet")
    assert done.code == 0, done.err
