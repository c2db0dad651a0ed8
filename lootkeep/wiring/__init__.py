"""The only folder that chooses engines: it builds Deps, the worker and the application from the settings."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager, nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

import structlog

from lootkeep import __version__
from lootkeep.console.page import Options
from lootkeep.deps import Deps
from lootkeep.engines import logs
from lootkeep.engines.outbound import allow_connections
from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.kernel.clock import SECOND
from lootkeep.services import health as health_service
from lootkeep.settings import Settings, load, shown
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.wiring.observation import NOT_OBSERVED, Observation, observing
from lootkeep.wiring.periodic import periodic_tasks
from lootkeep.wiring.sandbox import Sandbox, exists as sandbox_exists, opened_sandbox, opened_store, without_mail
from lootkeep.wiring.store import (
    check_settings,
    intelligence,
    mailer,
    make_outbound,
    open_database,
    opened,
    upgrade,
    webhook_rules,
)
from lootkeep.worker.alerts import SENDERS, AlertWorker
from lootkeep.worker.campaigns import CampaignOptions, CampaignWorker
from lootkeep.worker.deliveries import DeliveryWorker
from lootkeep.worker.emails import EmailWorker
from lootkeep.worker.lists import ListKeeper, ListRefresher
from lootkeep.worker.loop import Loop, PeriodicTask, Worker
from lootkeep.worker.metrics import WorkerMetrics
from lootkeep.worker.runner import QueueWorker

# Only serving and describing load the API: most commands need only Deps, and start in half the time.
if TYPE_CHECKING:
    from lootkeep.api.http.app import ASGIApp
    from lootkeep.api.http.auth import Tokens
    from lootkeep.api.http.exchange import Receive, Scope, Send
    from lootkeep.api.http.metrics import Metrics
    from lootkeep.api.http.probes import Check
    from lootkeep.api.http.router import Router
    from lootkeep.api.http.routes import Group
    from lootkeep.storage.engine.postgres import PostgresDatabase

__all__ = [
    "app",
    "check_settings",
    "intelligence",
    "mailer",
    "make_outbound",
    "observing",
    "open_database",
    "opened",
    "opened_sandbox",
    "opened_store",
    "sandbox_exists",
    "upgrade",
    "webhook_rules",
]


class Application:
    """The ASGI application for any server: it opens what it needs when the server starts, and closes it after."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._api: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope.get("state", {}), receive, send)
        elif self._api is None:
            raise RuntimeError("The server must support the lifespan protocol and wait for startup.")
        else:
            await self._api(scope, receive, send)

    async def _live(self, state: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        from lootkeep.api.http.admission import ADMISSION, Admission, slots_for
        from lootkeep.api.http.app import ModeSwitch
        from lootkeep.api.http.auth import Tokens
        from lootkeep.api.http.metrics import Metrics

        await receive()
        async with (
            opened(self._settings) as deps,
            cast(Engine, deps.db).watch_tokens() as token_version,
            observing(self._settings) as observation,
        ):
            tokens = Tokens(deps, token_version)
            metrics = Metrics()
            metrics.mark_started(deps.clock.now() / SECOND)
            if deps.replica:
                deps.replica.observe = metrics.count_read
            lists = ListKeeper(deps.intelligence)
            uses = PeriodicTask("note token uses", 10, tokens.note_uses)
            reload = PeriodicTask("reload lists", 30, lists.reload)
            tasks, of_worker = (uses, reload), WorkerMetrics(metrics.registry)
            async with working(deps, self._settings, of_worker, observation, *tasks) as (worker, sandbox):
                slots = slots_for(None if self._settings.sqlite_path else self._settings.database_connections)
                is_behind = worker.is_behind if self._settings.sqlite_path else bool
                state[ADMISSION] = Admission(slots, metrics.refused.inc, is_worker_behind=is_behind)
                live = api(deps, self._settings, tokens, worker, metrics, observation)
                test = partial(sandbox.api, partial(sandbox_api, self._settings, worker, observation, live))
                answered = partial(_after_test_request, metrics, sandbox)
                self._api = ModeSwitch(live, test, answered)
                await send({"type": "lifespan.startup.complete"})
                # Lists are read while the server starts to serve; the first order that needs them waits for them.
                reading = asyncio.create_task(lists.reload())
                await receive()
                await reading
        await send({"type": "lifespan.shutdown.complete"})


def app() -> Application:
    """The factory that servers name: `lootkeep.wiring:app`."""
    settings = load()
    logs.configure(settings.log_level, settings.log_format)
    for sentence in settings.unknown_names:
        structlog.get_logger(__name__).warning("unknown setting", sentence=sentence)
    groups()
    # Loaded modules stay: scanning them for garbage would block the event loop for 50 milliseconds.
    gc.freeze()
    return Application(settings)


@cache
def groups() -> tuple[Group, ...]:
    """The route table: every endpoint of every API."""
    from lootkeep.api import external, store

    return (*external.GROUPS, *store.GROUPS)


@cache
def router() -> Router:
    from lootkeep.api.http.router import Router

    return Router(groups())


@cache
def document() -> dict[str, Any]:
    from lootkeep.api.http import openapi

    return openapi.document(groups(), __version__)


@asynccontextmanager
async def working(
    deps: Deps, settings: Settings, metrics: WorkerMetrics | None, observation: Observation, *tasks: PeriodicTask
) -> AsyncIterator[tuple[Worker, Sandbox]]:
    """The worker, running inside the block; it finishes current work before the block ends."""
    allow_connections()
    wakeup = _wakeup(deps, settings)
    test_settings = without_mail(settings)

    def begin(test_deps: Deps) -> None:
        queues = _queues(test_deps, test_settings, sandbox.wakeup, None, observation)
        worker.add(periodic_tasks(test_deps, test_settings), tuple(queue.run for queue in queues))

    sandbox = Sandbox(deps, settings, begin)
    queues = deliveries, *_ = _queues(deps, settings, wakeup, metrics, observation)
    loops: list[Loop] = [queue.run for queue in queues]
    if settings.lists_refresh_hours:
        loops.append(ListRefresher(settings.data_dir, deps.clock, settings.lists_refresh_hours).run)
    tasks += (*periodic_tasks(deps, settings), PeriodicTask("look for the sandbox", 5, sandbox.look))
    worker = Worker(tasks, tuple(loops), is_behind=lambda: deliveries.is_behind)
    worker.start()
    await sandbox.look()
    try:
        yield worker, sandbox
    finally:
        wakeup.wake()
        sandbox.wakeup.wake()
        await worker.stop()
        await sandbox.close()
        await wakeup.close()


def _queues(
    deps: Deps, settings: Settings, wakeup: MemoryWakeup, metrics: WorkerMetrics | None, observation: Observation
) -> tuple[QueueWorker, ...]:
    delays, concurrency, (lines, tracer) = settings.webhook_retry_delays, settings.webhook_concurrency, observation
    deliveries = DeliveryWorker(
        deps, wakeup, delays=delays, concurrency=concurrency, metrics=metrics, lines=lines, tracer=tracer
    )
    emails = EmailWorker(deps, wakeup.follower(EmailWorker.wakes_for), mailer(settings, deps.clock), metrics=metrics)
    for_campaigns, options = wakeup.follower(CampaignWorker.wakes_for), campaign_options(settings)
    campaigns = CampaignWorker(deps, for_campaigns, mailer(settings, deps.clock), options, metrics=metrics)
    alerts = [
        AlertWorker(deps, wakeup.follower(AlertWorker.wakes_for), mailer(settings, deps.clock), metrics)
        for _ in range(SENDERS)
    ]
    return deliveries, emails, campaigns, *alerts


def api(
    deps: Deps,
    settings: Settings,
    tokens: Tokens,
    worker: Worker,
    metrics: Metrics,
    observation: Observation = NOT_OBSERVED,
) -> ASGIApp:
    """The application over Deps, however they were built."""
    from lootkeep.api import readers
    from lootkeep.api.http.app import Api
    from lootkeep.api.http.limits import Limits
    from lootkeep.api.http.probes import Probes
    from lootkeep.api.http.readiness import DatabaseCheck
    from lootkeep.console.late import LateRoutes

    limits = Limits(deps.limiter, settings.rate_limit_per_minute, settings.auth_failures_per_minute)
    checks: dict[str, Check] = {"database": DatabaseCheck(deps), "worker": worker.is_alive}
    disk = settings.sqlite_path and settings.sqlite_path.parent
    probes = Probes(deps, tokens, limits, metrics, checks, document, settings.docs_url, disk)
    console = LateRoutes(deps, console_options(settings, deps.store.name))
    pages = probes.app(*readers.pages(deps), console)
    return Api(deps, router(), tokens, limits, metrics, pages, *observation)


def sandbox_api(settings: Settings, worker: Worker, observation: Observation, pages: ASGIApp, deps: Deps) -> ASGIApp:
    """The APIs over the sandbox; all other pages are those of the store."""
    from lootkeep.api.http.app import Api
    from lootkeep.api.http.auth import Tokens
    from lootkeep.api.http.limits import Limits

    tokens = Tokens(deps, lambda: None)
    worker.add((PeriodicTask("note uses of test tokens", 10, tokens.note_uses),))
    limits = Limits(deps.limiter, settings.rate_limit_per_minute, settings.auth_failures_per_minute)
    return Api(deps, router(), tokens, limits, None, pages, *observation)


def _after_test_request(metrics: Metrics, sandbox: Sandbox) -> None:
    metrics.test_requests.inc()
    sandbox.wakeup.wake()


def console_options(settings: Settings, store_name: str) -> Options:
    is_https = (settings.public_url or "").startswith("https://")
    delays, examine = settings.webhook_retry_delays, partial(_examine, settings)
    return Options(store_name, settings.timezone, is_https, delays, shown(settings), examine)


async def _examine(settings: Settings, deps: Deps) -> list[health_service.Finding]:
    # What is wired here is an engine, or the replica of one: only within a change do Deps hold less.
    engine = nullcontext(cast(Engine, deps.replica.primary if deps.replica else deps.db))
    sender, now = mailer(settings, deps.clock), deps.clock.now()
    return await health_service.examine(settings, lambda: engine, sender, deps.outbound, deps.intelligence, now)


def _wakeup(deps: Deps, settings: Settings) -> MemoryWakeup:
    tables = DeliveryWorker.wakes_for
    if isinstance(deps.db, SqliteDatabase):
        wakeup = MemoryWakeup(tables)
        deps.db.on_commit(wakeup.wake)
        return wakeup
    if not settings.listen_url:
        return MemoryWakeup()
    from lootkeep.engines.wakeup.postgres import PostgresWakeup

    return PostgresWakeup(settings.listen_url, tables, cast("PostgresDatabase", deps.db).uses)


def campaign_options(settings: Settings) -> CampaignOptions:
    """How campaigns are sent."""
    has_server = settings.smtp_url is not None
    return CampaignOptions(settings.campaign_mails_per_minute, settings.campaign_tracking, has_server=has_server)
