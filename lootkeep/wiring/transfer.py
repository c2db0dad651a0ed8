"""Opens what a store is read from and written to, by the settings that name the database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings
from lootkeep.storage.transfer.sqlite import SqliteSource, SqliteTarget, set_stamp as set_sqlite_stamp
from lootkeep.storage.transfer.tables import Source, Target


@asynccontextmanager
async def source_of(config: Settings, *, holds_writes: bool = False) -> AsyncIterator[Source]:
    source: Source
    if config.sqlite_path:
        source = SqliteSource(config.sqlite_path, holds_writes=holds_writes)
    else:
        from lootkeep.storage.transfer.postgres import PostgresSource

        source = await PostgresSource.open(_direct_url(config), holds_writes=holds_writes)
    try:
        yield source
    except source.errors as error:
        raise StartupError(f"The database of the store failed: {error}.") from None
    finally:
        await source.close()


@asynccontextmanager
async def target_of(config: Settings) -> AsyncIterator[Target]:
    target: Target
    if config.sqlite_path:
        target = SqliteTarget(config.sqlite_path)
    else:
        from lootkeep.storage.transfer.postgres import PostgresTarget

        target = await PostgresTarget.open(_direct_url(config))
    try:
        await target.begin()
        yield target
    except target.errors as error:
        raise StartupError(f"The new database failed: {error}.") from None
    finally:
        await target.close()


async def set_stamp(config: Settings, before: str, after: str) -> None:
    """Replaces the stamp of a database."""
    if config.sqlite_path:
        set_sqlite_stamp(config.sqlite_path, before, after)
        return
    from lootkeep.storage.transfer.postgres import set_stamp as set_postgres_stamp

    await set_postgres_stamp(_direct_url(config), before, after)


def _direct_url(config: Settings) -> str:
    """A pooler gives the connection to others between transactions."""
    return config.listen_url or config.database_url
