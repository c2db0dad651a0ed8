"""`lootkeep upgrade` with the code of a next version on a store of the first release: docs/operate/upgrade.md."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import apsw
import asyncpg
import pytest

from lootkeep.storage import migrations
from tests.cli.terminal import KEY, CommandResult, Terminal
from tests.machines.next_version import NEXT_REVISION, next_version
from tests.storage.made_up_versions import FIRST, ONLINE, ORDERS

RELEASED = f"UPDATE schema_version SET version = '{FIRST.name}'; {ORDERS}"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return next_version(tmp_path_factory.mktemp("code"))


@pytest.fixture
def earlier(terminal: Terminal, code: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """In the folder of an embedded store of the first release, with the code of the next version."""
    monkeypatch.setenv("PYTHONPATH", str(code))
    terminal.call("migrate")
    _execute(terminal.folder / "lootkeep.db", RELEASED)
    return terminal


@pytest.fixture
def earlier_postgres(
    terminal: Terminal, code: Path, monkeypatch: pytest.MonkeyPatch, new_postgres_url: str
) -> Terminal:
    monkeypatch.setenv("PYTHONPATH", str(code))
    terminal.settings = {"database_url": new_postgres_url, "secret_key": KEY}
    terminal.call("migrate")

    async def release() -> None:
        connection = await asyncpg.connect(new_postgres_url)
        await connection.execute(RELEASED)
        await connection.close()

    asyncio.run(release())
    return terminal


def test_the_check_reports_every_pending_change_and_changes_nothing(earlier: Terminal) -> None:
    before = _files(earlier.folder)
    outcome = earlier.run("upgrade", "--check")
    assert (outcome.code, outcome.err) == (1, "")
    assert f"The schema is {FIRST.name}, that of this version is {NEXT_REVISION}." in outcome.out
    assert f"{NEXT_REVISION}    < 1      2     {ONLINE.sentence}" in outcome.out
    assert "Time:   less than a second, " in outcome.out
    assert "Pause:  The embedded database has one process: stop the service" in outcome.out
    assert "MB next to the database, checked, before any change." in outcome.out
    report = json.loads(earlier.run("upgrade", "--check", "--json").out)
    assert (report["current"], report["newest"]) == (FIRST.name, NEXT_REVISION)
    assert [change["rows"] for change in report["changes"]] == [{"orders": 2}]
    assert report["seconds"] > sum(change["seconds"] for change in report["changes"])
    assert report["copied_bytes"] == (earlier.folder / "lootkeep.db").stat().st_size
    assert _files(earlier.folder) == before


def test_postgresql_is_upgraded_and_then_there_is_nothing_to_do(earlier_postgres: Terminal) -> None:
    report = json.loads(earlier_postgres.run("upgrade", "--check", "--json").out)
    assert (report["current"], report["pause"], report["copied_bytes"]) == (FIRST.name, None, 0)
    assert earlier_postgres.run("migrate", "--check").code == 1
    assert earlier_postgres.run("upgrade").out == f"The schema of {earlier_postgres.database} is now {NEXT_REVISION}.\n"
    outcome = earlier_postgres.run("upgrade", "--check")
    assert (outcome.code, outcome.out) == (0, f"There is nothing to do: the schema is {NEXT_REVISION}, the newest.\n")


def test_an_embedded_database_is_copied_before_it_is_upgraded_and_the_copy_can_be_restored(earlier: Terminal) -> None:
    report = json.loads(earlier.run("upgrade", "--json").out)
    copy = Path(report["copy"])
    assert stat.S_IMODE((earlier.folder / copy).stat().st_mode) == 0o600
    assert copy.name.startswith(f"lootkeep.db.{FIRST.name}-")
    assert earlier.run("migrate", "--check").code == 0
    assert earlier.run("restore", str(copy), "--replace").code == 0
    assert json.loads(earlier.run("upgrade", "--check", "--json").out)["current"] == FIRST.name


def test_the_copy_can_be_skipped(earlier: Terminal) -> None:
    report = json.loads(earlier.run("upgrade", "--check", "--no-copy", "--json").out)
    assert report["copied_bytes"] == 0
    assert earlier.run("upgrade", "--no-copy").out == f"The schema of {earlier.database} is now {NEXT_REVISION}.\n"
    assert _copies(earlier.folder) == []


def test_nothing_is_changed_when_the_copy_cannot_be_made(earlier: Terminal) -> None:
    # An order whose customer does not exist: a copy of it is not what a backup has to be.
    _execute(
        earlier.folder / "lootkeep.db", "PRAGMA foreign_keys = OFF; UPDATE orders SET customer_id = 9 WHERE id = 1"
    )
    for command in (["upgrade"], ["migrate"], ["user", "list"]):
        outcome = earlier.run(*command)
        assert "The database was not changed" in outcome.err
        assert "`lootkeep upgrade --no-copy`" in outcome.err
    assert _copies(earlier.folder) == []
    assert json.loads(earlier.run("upgrade", "--check", "--json").out)["current"] == FIRST.name


def test_serve_copies_an_embedded_database_before_it_upgrades_it(earlier: Terminal) -> None:
    with earlier.serving() as server:
        stderr = server.stop().err
    (copy,) = _copies(earlier.folder)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert f"lootkeep.db.{FIRST.name}-" in copy.name
    assert "the database was upgraded" in stderr
    assert copy.name in stderr


def test_what_a_newer_version_wrote_is_not_restored(terminal: Terminal) -> None:
    terminal.call("migrate")
    _execute(terminal.folder / "lootkeep.db", RELEASED)
    newer = _restore(terminal)
    assert f"lootkeep.db was created by a newer Lootkeep (schema {FIRST.name}, this version knows" in newer.sentence
    _execute(terminal.folder / "lootkeep.db", "DROP TABLE schema_version")
    assert "lootkeep.db was created by a development version of Lootkeep" in _restore(terminal).sentence
    assert not (terminal.folder / "restored.db").exists()


def test_a_new_store_has_nothing_to_copy_and_nothing_to_do(terminal: Terminal) -> None:
    terminal.call("migrate")
    assert _copies(terminal.folder) == []
    outcome = terminal.call("upgrade", "--check")
    assert (outcome.code, outcome.out) == (0, f"There is nothing to do: the schema is {migrations.HEAD}, the newest.\n")


def test_an_error_is_not_taken_for_something_to_do(terminal: Terminal) -> None:
    outcome = terminal.call("upgrade", "--check")
    assert (outcome.code, outcome.sentence[:20]) == (2, "There is no store at")
    assert list(terminal.folder.iterdir()) == []


def _restore(terminal: Terminal) -> CommandResult:
    return terminal.call("restore", "lootkeep.db", database_url="sqlite:///restored.db")


def _execute(database: Path, sql: str) -> None:
    connection = apsw.Connection(str(database))
    connection.execute(sql).fetchall()
    connection.close()


def _files(folder: Path) -> dict[str, bytes]:
    """What a reader of SQLite keeps next to a database is none of its contents."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(("-shm", "-wal"))}


def _copies(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".backup" in path.name]
