"""`lootkeep upgrade` on filled stores of an earlier schema, as docs/operate/upgrade.md says."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import apsw
import pytest

from lootkeep.storage import migrations
from lootkeep.storage.backup import sqlite as sqlite_backup
from tests.cli.terminal import KEY, Terminal
from tests.storage.dumps import DUMPS, engine_of, load, revision_of

DUMP = {engine_of(dump): dump for dump in DUMPS}
EARLIER_KEY = "k" * 32
EARLIER = revision_of(DUMP["sqlite"])


@pytest.fixture
def earlier(terminal: Terminal, tmp_path: Path) -> Terminal:
    """In the folder of an embedded store of an earlier version."""
    database = tmp_path / "lootkeep.db"
    asyncio.run(load(DUMP["sqlite"], database))
    # As every version has left it.
    apsw.Connection(str(database)).execute("PRAGMA journal_mode = WAL").fetchall()
    return terminal


@pytest.fixture
def earlier_postgres(terminal: Terminal, new_postgres_url: str) -> Terminal:
    asyncio.run(load(DUMP["postgresql"], new_postgres_url))
    terminal.settings = {"database_url": new_postgres_url, "secret_key": KEY}
    return terminal


def test_the_check_reports_every_pending_change_and_changes_nothing(earlier: Terminal) -> None:
    before = _files(earlier.folder)
    outcome = earlier.call("upgrade", "--check")
    assert (outcome.code, outcome.err) == (1, "")
    assert f"The schema is {EARLIER}, that of this version is {migrations.HEAD}." in outcome.out
    assert "0026    < 1      " in outcome.out
    assert "Adds an index of the fraud checks that wait for a review." in outcome.out
    assert "Time:   less than a second, " in outcome.out
    assert "Pause:  The embedded database has one process: stop the service" in outcome.out
    assert "MB next to the database, checked, before any change." in outcome.out
    assert _files(earlier.folder) == before


def test_the_rows_of_the_tables_that_are_rewritten_or_indexed_are_counted(earlier: Terminal) -> None:
    orders = sqlite_backup.check(earlier.folder / "lootkeep.db")["orders"]
    report = json.loads(earlier.call("upgrade", "--check", "--json").out)
    changes = {change["revision"]: change for change in report["changes"]}
    assert (report["current"], report["newest"], min(changes)) == (EARLIER, migrations.HEAD, "0017")
    assert changes["0019"]["rows"]["orders"] == orders > 0
    assert changes["0019"]["seconds"] > 0
    assert (changes["0022"]["rows"], changes["0022"]["seconds"]) == ({}, 0)
    assert report["seconds"] > sum(change["seconds"] for change in changes.values())
    assert report["copied_bytes"] == (earlier.folder / "lootkeep.db").stat().st_size


def test_on_postgresql_the_check_says_which_changes_need_a_pause(earlier_postgres: Terminal) -> None:
    report = json.loads(earlier_postgres.call("upgrade", "--check", "--json").out)
    assert "Stop `serve` and `worker` before" in report["pause"]
    assert "after 0019, 0020, 0023, " in report["pause"]
    assert report["copied_bytes"] == 0
    assert earlier_postgres.call("migrate", "--check").code == 1


def test_postgresql_is_upgraded_and_then_there_is_nothing_to_do(earlier_postgres: Terminal) -> None:
    assert earlier_postgres.call("upgrade").out == (
        f"The schema of {earlier_postgres.database} is now {migrations.HEAD}.\n"
    )
    outcome = earlier_postgres.call("upgrade", "--check")
    assert (outcome.code, outcome.out) == (0, f"There is nothing to do: the schema is {migrations.HEAD}, the newest.\n")


def test_an_embedded_database_is_copied_before_it_is_upgraded(earlier: Terminal) -> None:
    before = sqlite_backup.check(earlier.folder / "lootkeep.db")
    report = json.loads(earlier.call("upgrade", "--json").out)
    copy = Path(report["copy"])
    assert stat.S_IMODE((earlier.folder / copy).stat().st_mode) == 0o600
    assert copy.name.startswith(f"lootkeep.db.{EARLIER}-")
    assert sqlite_backup.check(earlier.folder / copy) == before
    assert earlier.call("upgrade", "--check").code == 0


def test_the_copy_is_a_backup_that_can_be_restored(earlier: Terminal) -> None:
    copy = json.loads(earlier.call("upgrade", "--json").out)["copy"]
    assert earlier.call("restore", copy, "--replace").code == 0
    assert json.loads(earlier.call("upgrade", "--check", "--json").out)["current"] == EARLIER


def test_the_copy_can_be_skipped(earlier: Terminal) -> None:
    report = json.loads(earlier.call("upgrade", "--check", "--no-copy", "--json").out)
    assert report["copied_bytes"] == 0
    outcome = earlier.call("upgrade", "--no-copy")
    assert outcome.out == f"The schema of {earlier.database} is now {migrations.HEAD}.\n"
    assert _copies(earlier.folder) == []


@pytest.mark.parametrize("command", [["upgrade"], ["migrate"], ["user", "list"]])
def test_nothing_is_changed_when_the_copy_cannot_be_made(earlier: Terminal, command: list[str]) -> None:
    database = earlier.folder / "lootkeep.db"
    _damage(database)
    outcome = earlier.call(*command)
    assert "The database was not changed" in outcome.err
    assert "`lootkeep upgrade --no-copy`" in outcome.err
    assert _copies(earlier.folder) == []
    assert json.loads(earlier.call("upgrade", "--check", "--json").out)["current"] == EARLIER


def test_serve_copies_an_embedded_database_before_it_upgrades_it(earlier: Terminal) -> None:
    with earlier.serving(secret_key=EARLIER_KEY) as server:
        stderr = server.stop().err
    (copy,) = _copies(earlier.folder)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sqlite_backup.check(copy)["orders"] > 0
    assert "the database was upgraded" in stderr
    assert copy.name in stderr


def test_a_new_store_has_nothing_to_copy(terminal: Terminal) -> None:
    terminal.call("migrate")
    assert _copies(terminal.folder) == []


def test_an_error_is_not_taken_for_something_to_do(terminal: Terminal) -> None:
    outcome = terminal.call("upgrade", "--check")
    assert (outcome.code, outcome.sentence[:20]) == (2, "There is no store at")
    assert list(terminal.folder.iterdir()) == []


def _files(folder: Path) -> dict[str, bytes]:
    """What a reader of SQLite keeps next to a database is none of its contents."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(("-shm", "-wal"))}


def _copies(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".backup" in path.name]


def _damage(database: Path) -> None:
    """An order whose customer does not exist: a copy of it is not what a backup has to be."""
    connection = apsw.Connection(str(database))
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("UPDATE orders SET customer_id = 999999 WHERE id = 1")
    connection.close()
