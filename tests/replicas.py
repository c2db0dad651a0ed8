"""A private PostgreSQL with a streaming replica, whose replay a test can stop and continue."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import asyncpg

from tests.programs import CannotStart, postgres_folder
from tests.servers import (
    POSTGRES_OPTIONS,
    SERVER_ENVIRONMENT,
    listening,
    owned_folder,
    postgres,
    postgres_is_ready,
    server_owner,
)

# Commits are written at once, as in a store that loses none; the disk is not waited for.
OPTIONS = POSTGRES_OPTIONS | {"synchronous_commit": "on", "shared_buffers": "64MB", "autovacuum": "off"}
# What it has to replay goes before what it is asked.
REPLICA_OPTIONS = OPTIONS | {"max_standby_streaming_delay": "0"}


@dataclass(frozen=True)
class Replicated:
    """The addresses of a database and of its replica."""

    primary: str
    replica: str

    async def pause(self) -> None:
        """From now on the replica misses what is written."""
        await self._run("SELECT pg_wal_replay_pause()")
        while await self._run("SELECT pg_get_wal_replay_pause_state()") != "paused":
            pass

    async def go_on(self) -> None:
        await self._run("SELECT pg_wal_replay_resume()")

    async def until_sleeping(self) -> None:
        """Returns when a statement of a test sleeps on the replica."""
        while not await self._run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"):
            pass

    async def cancel_readers(self) -> None:
        """Empties a table: to replay this, the replica has to end what reads it."""
        writer = await asyncpg.connect(self.primary)
        await writer.execute("TRUNCATE users CASCADE")
        await writer.close()

    async def _run(self, sql: str) -> object:
        connection = await asyncpg.connect(self.replica)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()


@contextmanager
def replicated() -> Iterator[Replicated]:
    with postgres(OPTIONS) as primary, replica_of(primary, REPLICA_OPTIONS) as replica:
        yield Replicated(primary, replica)


@contextmanager
def replica_of(url: str, options: Mapping[str, str]) -> Iterator[str]:
    """A server that follows that one, from a copy of it."""
    programs, primary, owner = postgres_folder(), urlsplit(url), server_owner()
    with owned_folder("replica") as folder:
        data = folder / "data"
        copy = [str(programs / "pg_basebackup"), f"--pgdata={data}", f"--dbname={url}"]
        copied = subprocess.run(
            [*copy, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
            env=SERVER_ENVIRONMENT,
            cwd=folder,
            user=owner and owner.pw_uid,
            group=owner and owner.pw_gid,
            capture_output=True,
            text=True,
            check=False,
        )
        if copied.returncode:
            raise CannotStart(f"pg_basebackup failed:\n{copied.stderr}")
        given = [f"--{name}={value}" for name, value in options.items()]
        with listening(
            lambda port: [str(programs / "postgres"), "-D", str(data), f"--port={port}", *given],
            lambda _port: postgres_is_ready(data),
            folder=folder,
            stop=signal.SIGQUIT,
        ) as port:
            yield primary._replace(netloc=f"{primary.username}@127.0.0.1:{port}").geturl()
