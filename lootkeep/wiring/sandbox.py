"""The sandbox: a second store for test tokens, in a separate database, opened when it is first used."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import structlog

from lootkeep.deps import Deps
from lootkeep.engines.ratelimit import PrefixedRateLimiter
from lootkeep.engines.vault import Vault
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.errors import StartupError, Unavailable
from lootkeep.settings import Settings
from lootkeep.storage import migrations, sandbox as sandbox_db
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.wiring.store import opened

if TYPE_CHECKING:
    from lootkeep.api.http.app import ASGIApp
    from lootkeep.storage.engine.postgres import PostgresDatabase

log = structlog.get_logger(__name__)

# Connections per process, in addition to those of the store.
_CONNECTIONS = 4


class Sandbox:
    """The sandbox of a process that serves or works: opened when it exists, never created.

    `begin_work` is called once, with what the sandbox works on.
    """

    def __init__(self, live: Deps, settings: Settings, begin_work: Callable[[Deps], None]) -> None:
        self._live = live
        self._settings = settings
        self._begin_work = begin_work
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._deps: Deps | None = None
        self._api: ASGIApp | None = None
        self._logged = ""
        # A test request wakes the workers of its own process; others poll every few seconds.
        self.wakeup = Wakeup()

    async def api(self, make: Callable[[Deps], ASGIApp]) -> ASGIApp | None:
        """The API over the sandbox, built once; None until someone has created a test token."""
        if self._api is None and (deps := await self._opened()):
            self._api = self._api or make(deps)
        return self._api

    async def look(self) -> None:
        """Opens it without a request, so a worker without an API delivers its webhooks too."""
        with suppress(Unavailable):
            await self._opened()

    async def close(self) -> None:
        await self._stack.aclose()

    async def _opened(self) -> Deps | None:
        async with self._lock:
            if self._deps is None and await exists(self._live, self._settings):
                await self._open()
        return self._deps

    async def _open(self) -> None:
        try:
            deps = await self._stack.enter_async_context(opened_sandbox(self._live, self._settings))
        except Exception as error:
            # Errors of the sandbox must not stop the store.
            if repr(error) != self._logged:
                log.error("the sandbox cannot be opened", error=str(error) or repr(error))
            self._logged = repr(error)
            raise Unavailable("Test mode is not available right now. The log of the service says why.") from error
        cast("Engine", deps.db).on_change(self.wakeup.wake)
        self._begin_work(deps)
        self._deps = deps


@asynccontextmanager
async def opened_store(settings: Settings, *, is_test: bool) -> AsyncIterator[Deps]:
    """For commands: the store, or its sandbox, which is created on the way."""
    async with opened(settings) as live:
        if not is_test:
            yield live
            return
        async with opened_sandbox(live, settings) as deps:
            yield deps


@asynccontextmanager
async def opened_sandbox(live: Deps, settings: Settings) -> AsyncIterator[Deps]:
    """Deps on the database of the sandbox, which is migrated here; its data is only for tests."""
    # Loads half of the services, which a store without a sandbox may not need.
    from lootkeep.services import sandbox as sandbox_service

    engine = await _open_database(settings)
    try:
        await migrations.upgrade(engine)
        deps = replace(
            live,
            db=engine,
            limiter=PrefixedRateLimiter(live.limiter, "test:"),
            # A separate key: the store rejects links that were signed in the sandbox.
            vault=Vault(live.vault.fingerprint(b"", "sandbox")),
            is_test=True,
            replica=None,
            # What the store counts and wakes by the ids of its own rows.
            changes=Wakeup(),
            new_commands=Wakeup({"commands"}),
            feed_readers=Counter(),
        )
        await sandbox_service.prepare(deps)
        yield deps
    finally:
        await engine.close()


async def exists(live: Deps, settings: Settings) -> bool:
    path = settings.sqlite_path
    if path is None:
        return await cast("PostgresDatabase", live.db).has_store(sandbox_db.SCHEMA)
    return sandbox_db.path_of(path).exists()


async def _open_database(settings: Settings) -> Engine:
    path = settings.sqlite_path
    if path is not None:
        return SqliteDatabase(sandbox_db.path_of(path))
    if settings.listen_url is None:
        # A pooler in transaction mode gives each statement any connection, with any schema.
        raise StartupError("Behind a pooler, test mode needs LOOTKEEP_DATABASE_DIRECT_URL.")
    from lootkeep.storage.engine.postgres import PostgresDatabase

    connections = min(_CONNECTIONS, settings.database_connections)
    return await PostgresDatabase.open(settings.listen_url, connections, schema=sandbox_db.SCHEMA)
