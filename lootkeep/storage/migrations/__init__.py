"""Gives an empty database the schema, and brings that of an earlier version to the newest, in one transaction."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from lootkeep.kernel.errors import StartupError
from lootkeep.storage import schema
from lootkeep.storage.engine.database import STAMP_TABLE, Engine
from lootkeep.storage.migrations.versions import VERSIONS, Version

# Every schema has these tables.
_OWN_TABLES = {"tokens", "idempotency_keys", "referral_tiers"}
_MAX_NAMES = 3
_DEVELOPMENT = "dev-"
# The stamps of a store that was moved elsewhere, followed by where, and of the copy until the store has been moved.
MOVED = "moved to "
UNFINISHED = "unfinished move"
# Extensions are the database's, not the schema's.
_EXTENSIONS = {"sqlite": [], "postgresql": ["CREATE EXTENSION IF NOT EXISTS pg_trgm"]}


def newest(versions: tuple[Version, ...]) -> str:
    """The stamp of the code's schema. Before the first release it is made from the files that describe it."""
    if versions:
        return versions[-1].name
    files = sorted(Path(schema.__file__).parent.glob("*.py"))
    return _DEVELOPMENT + hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]


HEAD = newest(VERSIONS)


async def upgrade(engine: Engine, versions: tuple[Version, ...] = VERSIONS) -> bool:
    """Brings the schema to the newest version; False if it was already current."""
    if await revision(engine, versions) == newest(versions):
        return False
    await engine.migrate(lambda current: script(engine.name, current, versions))
    return True


async def check(engine: Engine, versions: tuple[Version, ...] = VERSIONS) -> None:
    """Raises if the schema does not match the code."""
    if await revision(engine, versions) != newest(versions):
        raise StartupError("The database schema is not up to date. Run `lootkeep migrate`, then start again.")


async def revision(engine: Engine, versions: tuple[Version, ...] = VERSIONS) -> str | None:
    """The schema's stamp, None for an empty database; raises if this version cannot work with it."""
    # The tables first: if another process migrates right now, there is a stamp with the first table.
    tables = await engine.tables()
    current = await engine.revision()
    if tables and not tables >= _OWN_TABLES:
        raise _foreign(engine.label, tables)
    if tables:
        reject_unknown(engine.label, current, versions)
    return current


def reject_unknown(label: str, stamp: str | None, versions: tuple[Version, ...] = VERSIONS) -> None:
    """Raises for the stamp of a store, or of its backup, that this version cannot upgrade."""
    if stamp in {newest(versions), *(version.name for version in versions)}:
        return
    if stamp and stamp.startswith(MOVED):
        raise StartupError(f"{label} was {stamp}. Set LOOTKEEP_DATABASE_URL to that database.")
    if stamp == UNFINISHED:
        raise StartupError(
            f"{label} is the copy of a move that was interrupted. With LOOTKEEP_DATABASE_URL set to the old database, "
            "run the same `lootkeep move` again; if it says that this one is not empty, give it a new one."
        )
    if stamp is None or stamp.startswith(_DEVELOPMENT):
        raise StartupError(
            f"{label} was created by a development version of Lootkeep, and only that version can open it. "
            "Read from it what you need with that version, then set LOOTKEEP_DATABASE_URL to a new database."
        )
    raise StartupError(
        f"{label} was created by a newer Lootkeep (schema {stamp}, this version knows {newest(versions)}). "
        "Upgrade Lootkeep, or restore a backup made with this version."
    )


def pending(current: str, versions: tuple[Version, ...] = VERSIONS) -> tuple[Version, ...]:
    """The versions after one of them."""
    names = [version.name for version in versions]
    return versions[names.index(current) + 1 :] if current in names else ()


def script(engine: str, current: str | None, versions: tuple[Version, ...] = VERSIONS) -> str:
    """The SQL from a stamp to the newest, on an engine; empty if there is nothing to do."""
    stamp = newest(versions)
    if current == stamp:
        return ""
    if current is None:
        statements = [*_EXTENSIONS[engine], *_creation(engine), f"CREATE TABLE {STAMP_TABLE} (version TEXT NOT NULL)"]
        return ";\n".join([*statements, f"INSERT INTO {STAMP_TABLE} VALUES ('{stamp}')"])  # noqa: S608  our own names
    statements = [statement for version in pending(current, versions) for statement in version.on(engine)]
    return ";\n".join([*statements, f"UPDATE {STAMP_TABLE} SET version = '{stamp}'"])  # noqa: S608  the same


def _creation(engine: str) -> list[str]:
    """What `metadata.create_all` runs."""
    from sqlalchemy import create_mock_engine

    statements: list[str] = []

    def keep(statement: Any, *_: Any, **__: Any) -> None:
        statements.append(str(statement.compile(dialect=recorder.dialect)).strip())

    recorder = create_mock_engine("sqlite://" if engine == "sqlite" else "postgresql+asyncpg://", keep)
    schema.metadata.create_all(recorder, checkfirst=False)
    return statements


def _foreign(label: str, tables: set[str]) -> StartupError:
    names = ", ".join(sorted(tables)[:_MAX_NAMES]) + (" and more" if len(tables) > _MAX_NAMES else "")
    return StartupError(
        f"{label} contains tables of another program ({names}). Give Lootkeep a separate database with "
        "LOOTKEEP_DATABASE_URL."
    )
