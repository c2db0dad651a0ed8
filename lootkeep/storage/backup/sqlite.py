"""Backup and restore of the embedded database."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw

from lootkeep.kernel import files
from lootkeep.kernel.clock import Instant, utc
from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import READ_STAMP, STAMP_TABLE

# How every SQLite database starts.
FIRST_BYTES = b"SQLite format 3\0"

# Readers continue during the copy; a writer that runs a checkpoint may lock the file for a moment.
_PATIENCE_MS = 10_000


def write(source: Path, target: Path) -> dict[str, int]:
    """Copies one consistent state, and returns the number of rows of each table in the copy."""
    connection = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(_PATIENCE_MS)
    try:
        connection.execute("VACUUM INTO ?", (str(target),))
    except apsw.Error as error:
        raise StartupError(f"The backup could not be written: {error}.") from None
    finally:
        connection.close()
    return check(target)


def write_before_upgrade(source: Path, revision: str, now: Instant) -> Path:
    """A verified copy next to a database before its schema changes, readable only by its owner."""
    target = source.with_name(f"{source.name}.{revision}-{utc(now):%Y%m%dT%H%M%SZ}.backup")
    try:
        with files.written(target) as draft:
            write(source, draft)
    except StartupError as error:
        raise StartupError(
            f"{error} The database was not changed: a copy is made before an upgrade. "
            "`lootkeep upgrade --no-copy` upgrades without one."
        ) from None
    return target


def check(file: Path) -> dict[str, int]:
    """Reads all of a copy, and returns the number of rows of each table."""
    try:
        # Nobody writes to a copy: it is read as it is, without a log next to it.
        connection = apsw.Connection(
            f"{file.absolute().as_uri()}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
        errors = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        errors += [
            f"a row of {row[0]} has a dangling reference" for row in connection.execute("PRAGMA foreign_key_check")
        ]
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        if "tokens" not in names:
            raise StartupError(f"{file} is not a backup of a store.")
        stamp = str(connection.execute(READ_STAMP).get) if STAMP_TABLE in names else None
        counts = {name: int(connection.execute(f'SELECT count(*) FROM "{name}"').get or 0) for name in names}  # noqa: S608
    except apsw.Error as error:
        raise StartupError(f"{file} is damaged: {error}.") from None
    if errors:
        raise StartupError(f"{file} is damaged: {errors[0]}.")
    migrations.reject_unknown(str(file), stamp)
    return counts


def restore(file: Path, target: Path, *, replace: bool) -> dict[str, int]:
    """Replaces a database with a verified copy; the old file stays next to it under another name."""
    counts = check(file)
    if target.exists():
        if not replace:
            raise StartupError(f"{target} exists. Use --replace to rename it to {_aside(target)}.")
        if _aside(target).exists():
            raise StartupError(f"{_aside(target)} is from an earlier restore: move it first.")
        _close(target)
    with files.written(target, replace=True) as draft:
        shutil.copyfile(file, draft)
        if target.exists():
            os.replace(target, _aside(target))
    return counts


def _aside(target: Path) -> Path:
    return target.with_name(f"{target.name}.before-restore")


def _close(database: Path) -> None:
    """Merges the log into the file, which fails while another process has it open."""
    connection = apsw.Connection(str(database))
    try:
        if connection.execute("PRAGMA journal_mode = DELETE").get != "delete":
            raise StartupError(f"{database} is in use: stop the service first.")
    except apsw.BusyError:
        raise StartupError(f"{database} is in use: stop the service first.") from None
    except apsw.NotADBError:
        # The file that is moved away need not be a database.
        return
    finally:
        connection.close()
