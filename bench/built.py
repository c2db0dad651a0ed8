"""Stores that are made once: SQLite files in bench/.cache, and databases that stay on their PostgreSQL server."""

import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from lootkeep.storage import migrations

CACHE = Path(__file__).parent / ".cache"


def name_of(kind: str, size: int, *code: str) -> str:
    """Of the schema and of the files that fill it: what other code made before is not taken for its own."""
    text = b"".join([migrations.HEAD.encode(), *(path.read_bytes() for path in map(Path, code))])
    return f"{kind}_{size}_{hashlib.sha256(text).hexdigest()[:12]}"


async def on_sqlite(name: str, fill: Callable[[Path], Awaitable[None]]) -> Path:
    """The file of this name, filled if it is not there yet."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"{name}.db"
    if not path.exists():
        # Only what is whole has the name.
        unfinished = path.with_suffix(f".{os.getpid()}")
        await fill(unfinished)
        unfinished.rename(path)
    return path


async def on_postgres(name: str, fill: Callable[[str], Awaitable[None]]) -> str:
    """The address of the database of this name, filled if it is not there yet."""
    admin_url = os.environ.get("LOOTKEEP_TEST_POSTGRES_URL")
    if not admin_url:
        raise SystemExit("LOOTKEEP_TEST_POSTGRES_URL is not set: run this under tests/servers.py.")
    admin = await asyncpg.connect(admin_url)
    try:
        if not await admin.fetchval("SELECT true FROM pg_database WHERE datname = $1", name):
            unfinished = f"{name}_{os.getpid()}"
            await admin.execute(f"CREATE DATABASE {unfinished}")
            await fill(_address(admin_url, unfinished))
            await admin.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")
    finally:
        await admin.close()
    return _address(admin_url, name)


def _address(admin_url: str, name: str) -> str:
    return urlsplit(admin_url)._replace(path=f"/{name}").geturl()
