"""Opens what a store is read from and written to, by the settings that name the database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from lootkeep.kernel import files
from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings
from lootkeep.storage.transfer.sqlite import SqliteSource, SqliteTarget, set_stamp as set_sqlite_stamp
from lootkeep.storage.transfer.tables import NEW, OLD, Source, Target, blamed


@asynccontextmanager
async def source_of(config: Settings, *, holds_writes: bool = False) -> AsyncIterator[Source]:
    source: Source
    if config.sqlite_path:
        source = SqliteSource(config.sqlite_path, holds_writes=holds_writes)
    else:
        from lootkeep.storage.transfer.postgres import PostgresSource

        with blamed(OLD, PostgresSource.errors):
            source = await PostgresSource.open(_direct_url(config), holds_writes=holds_writes)
    try:
        with blamed(OLD, source.errors):
            yield source
    finally:
        await source.close()


@asynccontextmanager
async def target_of(config: Settings) -> AsyncIterator[Target]:
    target: Target
    path = config.sqlite_path
    # PostgreSQL itself lets one transaction fill a database.
    with files.locked(path.absolute().parent, "import or move") if path else nullcontext():
        if path:
            target = SqliteTarget(path)
        else:
            from lootkeep.storage.transfer.postgres import PostgresTarget

            target = await PostgresTarget.open(_direct_url(config))
        try:
            with blamed(NEW, target.errors):
                await target.begin()
                yield target
        finally:
            await target.close()


async def stamp_of(config: Settings) -> str | None:
    async with source_of(config) as source:
        return await source.stamp()


async def set_stamp(config: Settings, before: str, after: str) -> None:
    """Replaces the stamp of a database."""
    if config.sqlite_path:
        is_set = set_sqlite_stamp(config.sqlite_path, before, after)
    else:
        from lootkeep.storage.transfer.postgres import set_stamp as set_postgres_stamp

        is_set = await set_postgres_stamp(_direct_url(config), before, after)
    # Somebody who ran the same move again may have done it.
    if not is_set and await stamp_of(config) != after:
        raise StartupError("The new database was replaced while the store was moved.")


def _direct_url(config: Settings) -> str:
    """A pooler gives the connection to others between transactions."""
    return config.listen_url or config.database_url
