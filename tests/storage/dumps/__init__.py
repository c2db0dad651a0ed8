"""Filled databases of earlier schemas, as SQL: a store as `python -m tests.storage.dumps` wrote it at that time."""

from __future__ import annotations

import gzip
from pathlib import Path

import apsw
import asyncpg

FOLDER = Path(__file__).parent
# Each is named after its schema and its engine: 0016.sqlite.sql.gz
DUMPS = sorted(FOLDER.glob("*.sql.gz"))


def revision_of(dump: Path) -> str:
    return dump.name.split(".")[0]


def engine_of(dump: Path) -> str:
    return dump.name.split(".")[1]


def statements_of(dump: Path) -> str:
    return gzip.decompress(dump.read_bytes()).decode()


async def load(dump: Path, db_location: Path | str) -> None:
    """Into an empty database: a file, or a URL of PostgreSQL."""
    statements = statements_of(dump)
    if isinstance(db_location, Path):
        file = apsw.Connection(str(db_location))
        file.execute(statements).fetchall()
        file.close()
    else:
        connection = await asyncpg.connect(db_location)
        await connection.execute(statements)
        await connection.close()
