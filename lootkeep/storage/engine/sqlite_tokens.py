"""The small file next to an embedded database that its processes share: it changes with any token, and one serves."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from mmap import mmap
from pathlib import Path

import structlog

from lootkeep.kernel.errors import StartupError, Unavailable

log = structlog.get_logger(__name__)

_BYTES = 8


@asynccontextmanager
async def watching_tokens(database: Path) -> AsyncIterator[Callable[[], int | None]]:
    """Inside the block: another number after every change of a token; None if it is unknown."""
    try:
        memory = _map_number(database)
    except OSError as error:
        log.warning("cannot watch token changes, each request looks up its token", error=str(error))
        yield lambda: None
        return
    with memory, memoryview(memory) as view, view.cast("Q") as numbers:
        yield lambda: numbers[0]


def note_change(database: Path) -> None:
    """After the commit of a change: no process uses the old state any more."""
    try:
        # Without the file, nobody has cached anything from before the commit.
        with suppress(FileNotFoundError), _file(database).open("r+b") as file:
            file.write(secrets.token_bytes(_BYTES))
    except OSError as error:
        raise Unavailable from error


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


def _map_number(database: Path) -> mmap:
    """Mapped into memory like SQLite's own index of the log: a read of the file would cost five microseconds."""
    file = os.open(_file(database), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        return _prepared(file, database.stat())
    finally:
        os.close(file)


def _prepared(file: int, owner: os.stat_result) -> mmap:
    # Anyone who may change the database may change the number, as with SQLite's own files.
    with suppress(PermissionError):
        os.fchmod(file, stat.S_IMODE(owner.st_mode))
    if os.geteuid() == 0:
        os.fchown(file, owner.st_uid, owner.st_gid)
    # Now, not at the first change, when the disk may be full.
    os.pwrite(file, secrets.token_bytes(_BYTES), 0)
    return mmap(file, _BYTES)


def _file(database: Path) -> Path:
    """Next to the real file, like SQLite's own, so every process has the same one."""
    real = database.resolve()
    return real.with_name(f"{real.name}-tokens")
