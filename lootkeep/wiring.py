"""The only file that chooses engines: it builds Deps, the worker and the application from the settings."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Any

from lootkeep import __version__
from lootkeep.api import external, store
from lootkeep.api.http import openapi
from lootkeep.api.http.app import Api, ASGIApp, Receive, Scope, Send
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Check, Probes
from lootkeep.deps import Deps
from lootkeep.engines.ratelimit import RateLimiter
from lootkeep.engines.ratelimit.memory import MemoryRateLimiter
from lootkeep.engines.ratelimit.redis import RedisRateLimiter
from lootkeep.kernel.clock import SystemClock
from lootkeep.kernel.errors import Reason, StartupError
from lootkeep.kernel.ids import RandomIds
from lootkeep.services import access, retention
from lootkeep.settings import Settings, load
from lootkeep.storage import access as stored_access
from lootkeep.storage import migrations
from lootkeep.storage.database import Engine
from lootkeep.storage.postgres import PostgresDatabase
from lootkeep.storage.sqlite import SqliteDatabase
from lootkeep.worker.loop import Chore, Worker

GROUPS = (*external.GROUPS, *store.GROUPS)


async def open_database(settings: Settings) -> Engine:
    path = settings.sqlite_path
    if path is None:
        return await PostgresDatabase.open(settings.database_url, settings.database_connections)
    return SqliteDatabase(path)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Deps]:
    """Deps on a database that is ready: the embedded one is migrated here, PostgreSQL by `lootkeep migrate`."""
    check_settings(settings)
    engine = await open_database(settings)
    limiter = _limiter(settings)
    try:
        if settings.sqlite_path:
            await migrations.upgrade(engine)
        else:
            await migrations.check(engine)
        deps = Deps(SystemClock(), RandomIds(), engine, limiter, _secret_key(settings), settings.currency)
        await access.ensure_owner(deps)
        yield deps
    finally:
        await limiter.close()
        await engine.close()


def check_settings(settings: Settings) -> None:
    """Refuses what cannot work or is not safe, with a sentence that says what to set."""
    if settings.secret_key is None and (settings.sqlite_path is None or settings.environment == "production"):
        where = "with PostgreSQL" if settings.sqlite_path is None else "in production"
        raise StartupError(
            f"LOOTKEEP_SECRET_KEY must be set {where}: at least 32 random characters, the same for every process. "
            "`openssl rand -hex 32` makes one."
        )


class Application:
    """The ASGI application for any server: it opens what it needs when the server starts, and closes it after."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._api: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._api is None:
            raise RuntimeError("The server must support the lifespan protocol and wait for its start.")
        else:
            await self._api(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        async with opened(self._settings) as deps:
            tokens = Tokens(deps)
            worker = Worker(_chores(deps, tokens))
            worker.start()
            self._api = api(deps, self._settings, tokens, worker)
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await worker.stop()
        await send({"type": "lifespan.shutdown.complete"})


def app() -> Application:
    """The factory that servers name: `lootkeep.wiring:app`."""
    return Application(load())


@cache
def document() -> dict[str, Any]:
    return openapi.document(GROUPS, __version__)


def api(deps: Deps, settings: Settings, tokens: Tokens, worker: Worker) -> ASGIApp:
    """The application over Deps, however they were made."""
    metrics = Metrics()
    limits = Limits(deps.limiter, settings.rate_limit_per_minute, settings.auth_failures_per_minute)
    checks: dict[str, Check] = {"database": partial(_database_answers, deps), "worker": worker.is_alive}
    probes = Probes(deps, tokens, metrics, checks, document())
    return Api(deps, GROUPS, tokens, limits, metrics, probes.app())


def _chores(deps: Deps, tokens: Tokens) -> tuple[Chore, ...]:
    return (
        Chore("note token uses", 10, tokens.note_uses),
        Chore("purge answers", 3600, partial(retention.purge_answers, deps)),
    )


def _limiter(settings: Settings) -> RateLimiter:
    return RedisRateLimiter(settings.redis_url) if settings.redis_url else MemoryRateLimiter()


async def _database_answers(deps: Deps) -> bool:
    try:
        async with deps.db.read() as tx:
            await stored_access.owner(tx)
    except Reason:
        return False
    return True


def _secret_key(settings: Settings) -> str:
    """The key that encrypts secrets at rest; beside an embedded database it is made once and kept."""
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
    path = settings.sqlite_path
    if path is None:
        raise StartupError("LOOTKEEP_SECRET_KEY must be set with PostgreSQL.")
    file = path.with_name(path.name + ".key")
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text().strip()
    with os.fdopen(descriptor, "w") as opened_file:
        key = secrets.token_hex(32)
        opened_file.write(key + "\n")
    return key
