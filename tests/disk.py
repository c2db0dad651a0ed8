"""Simulates a full disk for files that would have to grow."""

from __future__ import annotations

import os
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import asyncpg

from tests import servers

# A disk of its own in a name space of its own, which is gone with the server. Anyone may make one, but as its owner is
# root there, PostgreSQL, which refuses to be root, runs in a second one under its own id.
_ON_SMALL_DISK = (
    *("unshare", "--user", "--map-root-user", "--mount"),
    *("sh", "-c", 'mkdir -p small && mount -t tmpfs -o size=48m tmpfs small && exec "$@"', "sh"),
    *("unshare", "--user", "--map-user={user}", "--map-group={group}", "setpriv", "--pdeathsig", "QUIT"),
)
_OPTIONS = servers.TEST_POSTGRES_OPTIONS | {"shared_buffers": "32MB"}


@contextmanager
def full_disk(database: Path) -> Iterator[None]:
    """Inside the block no file of this process and its children grows beyond what the database's log has now."""
    with small_files(database.with_name(f"{database.name}-wal").stat().st_size):
        yield


@contextmanager
def small_files(max_bytes: int) -> Iterator[None]:
    """The system's own limit on the size of files: the write fails in the kernel, as on a disk without room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class SmallDisk:
    """A database whose tables are on a disk of 48 MB: a real file system that returns ENOSPC."""

    def __init__(self, admin: asyncpg.Connection[asyncpg.Record], folder: str, url: str) -> None:
        self._admin = admin
        self._file = f"{folder}/filler"
        self.url = url

    async def fill(self) -> None:
        with suppress(asyncpg.DiskFullError):
            await self._copy("SELECT repeat('x', 8000) FROM generate_series(1, 10000)")

    async def make_room(self) -> None:
        await self._copy("SELECT WHERE false")

    async def _copy(self, content: str) -> None:
        # By the server, as nobody else sees its disk.
        await self._admin.execute(f"COPY ({content}) TO '{self._file}'")


@asynccontextmanager
async def small_disk() -> AsyncIterator[SmallDisk]:
    """A PostgreSQL of its own, with an empty database on a small disk."""
    owner = servers.server_owner()
    user, group = (owner.pw_uid, owner.pw_gid) if owner else (os.geteuid(), os.getegid())
    with servers.postgres(_OPTIONS, [word.format(user=user, group=group) for word in _ON_SMALL_DISK]) as admin_url:
        admin = await asyncpg.connect(admin_url)
        data = await admin.fetchval("SELECT current_setting('data_directory')")
        folder = Path(data).with_name("small")
        await admin.execute(f"CREATE TABLESPACE small LOCATION '{folder}'")
        await admin.execute("CREATE DATABASE lootkeep TABLESPACE small")
        yield SmallDisk(admin, str(folder), admin_url.rsplit("/", 1)[0] + "/lootkeep")
        await admin.close()
