"""What the processes of an embedded database know of each other: whether it has changed, and that one serves it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import apsw

from lootkeep.kernel.errors import StartupError


@asynccontextmanager
async def watching_changes(connection: apsw.Connection) -> AsyncIterator[Callable[[], int | None]]:
    """Inside the block: another number after every commit on another connection; None if it is unknown."""
    cursor = connection.cursor()

    def version() -> int | None:
        try:
            return int(cursor.execute("PRAGMA data_version").get)
        except apsw.Error:
            return None

    try:
        yield version
    finally:
        connection.close()


@contextmanager
def serving_alone(database: Path) -> Iterator[None]:
    """Inside the block, nobody else serves this database. The lock ends with the process, however it ends."""
    try:
        file = os.open(_file(database), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        # Opening the database fails as well, and says why.
        yield
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StartupError(
            f"Another process already serves {database.absolute()}, and an embedded database has only one. "
            "Stop that process first, or set LOOTKEEP_DATABASE_URL to another database."
        ) from None
    finally:
        os.close(file)


def _file(database: Path) -> Path:
    """Next to the real file, like SQLite's own, so every process has the same one."""
    real = database.resolve()
    return real.with_name(f"{real.name}-tokens")
