"""Backup and restore of PostgreSQL with pg_dump and pg_restore."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from asyncio import to_thread
from pathlib import Path
from urllib.parse import unquote, urlsplit

import asyncpg

from lootkeep.kernel.errors import StartupError
from lootkeep.storage import migrations, sandbox
from lootkeep.storage.engine.database import STAMP_TABLE
from lootkeep.storage.transfer.postgres import NO_LIMITS, connected

# Where Debian and the PostgreSQL project install them, newest last; PATH takes precedence.
_FOLDERS = "/usr/lib/postgresql"
# How every dump in the custom format starts.
FIRST_BYTES = b"PGDMP"
_COPY = re.compile(rb"COPY public\.(\w+) ")
_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


async def write(url: str, target: Path) -> dict[str, int]:
    """Dumps one consistent state, reads the dump again, and compares the number of rows of each table."""
    connection = await connected(url)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute(NO_LIMITS)
            snapshot = await connection.fetchval("SELECT pg_export_snapshot()")
            counts = await _counts(connection)
            dump = ["pg_dump", "--format=custom", f"--snapshot={snapshot}", f"--file={target}"]
            dump.append(f"--exclude-schema={sandbox.SCHEMA}")
            await to_thread(_run, [*dump, _without_password(url)], url)
    finally:
        await connection.close()
    stored = await to_thread(check, target)
    if stored != counts:
        wrong = sorted(table for table in counts if stored.get(table) != counts[table])
        raise StartupError(f"The backup does not contain all rows of {', '.join(wrong)}: it was not kept.")
    return counts


def check(file: Path) -> dict[str, int]:
    """Reads all of a dump, and returns the number of rows of each table."""
    command = [_program("pg_restore"), "--data-only", "--file=-", str(file)]
    counts: dict[str, int] = {}
    table = stamp = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603  no shell
        assert process.stdout
        for line in process.stdout:
            if table is None:
                if match := _COPY.match(line):
                    table = match[1].decode()
                    counts[table] = 0
            elif line == b"\\.\n":
                table = None
            else:
                counts[table] += 1
                stamp = line.decode().strip() if table == STAMP_TABLE else stamp
        assert process.stderr
        error = process.stderr.read()
    if process.returncode:
        raise StartupError(f"{file} is damaged: {_last_line(error)}")
    if "tokens" not in counts:
        raise StartupError(f"{file} is not a backup of a store.")
    migrations.reject_unknown(str(file), stamp)
    return counts


async def restore(file: Path, url: str) -> dict[str, int]:
    """Into an empty database, completely or not at all."""
    stored = await to_thread(check, file)
    connection = await connected(url)
    try:
        if await connection.fetch(_TABLES):
            raise StartupError("The database is not empty: create a new one, and set LOOTKEEP_DATABASE_URL to it.")
        options = ["--no-owner", "--exit-on-error", "--single-transaction", f"--dbname={_without_password(url)}"]
        await to_thread(_run, ["pg_restore", *options, str(file)], url)
        counts = await _counts(connection)
    finally:
        await connection.close()
    if counts != stored:
        raise StartupError("The restored database differs from the backup: do not use it.")
    return counts


async def _counts(connection: asyncpg.Connection) -> dict[str, int]:
    names = [row[0] for row in await connection.fetch(_TABLES)]
    return {name: await connection.fetchval(f'SELECT count(*) FROM "{name}"') for name in names}  # noqa: S608


def _run(command: list[str], url: str) -> None:
    """The password is in the environment: everyone on the machine can see arguments."""
    password = urlsplit(url).password
    environment = os.environ | ({"PGPASSWORD": unquote(password)} if password else {})
    program, *arguments = command
    line = [_program(program), *arguments]
    done = subprocess.run(line, env=environment, capture_output=True, check=False)  # noqa: S603  no shell
    if done.returncode:
        raise StartupError(f"{program} failed: {_last_line(done.stderr)}")


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return url if parts.password is None else url.replace(f":{parts.password}@", "@", 1)


def _program(name: str) -> str:
    newest = sorted(Path(_FOLDERS).glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    program = shutil.which(name) or (str(newest[-1]) if newest else None)
    if program is None:
        raise StartupError(f"{name} was not found: install PostgreSQL's client programs.")
    return program


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no error message."
