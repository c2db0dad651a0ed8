"""What serves: the APIs, the pages and the console over a store, with its worker and its sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from contextlib import nullcontext
from functools import partial
from typing import Any, cast

from lootkeep import wiring
from lootkeep.api import readers
from lootkeep.api.http.admission import ADMISSION, Admission, slots_for
from lootkeep.api.http.app import Api, ASGIApp, ModeSwitch
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.exchange import Receive, Scope, Send
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.probes import Check, Probes
from lootkeep.api.http.readiness import DatabaseCheck
from lootkeep.console.late import LateRoutes
from lootkeep.console.page import Options
from lootkeep.deps import Deps
from lootkeep.domain.trusted_proxy import TrustedProxy
from lootkeep.kernel.clock import SECOND
from lootkeep.mcp.caller import Options as AgentOptions
from lootkeep.mcp.late import LateAgents
from lootkeep.services import health as health_service
from lootkeep.settings import Settings, closed, effective
from lootkeep.storage.engine.database import Engine
from lootkeep.wiring.observation import NOT_OBSERVED, Observation, observing
from lootkeep.wiring.store import opened
from lootkeep.wiring.workers import working
from lootkeep.worker.lists import ListKeeper
from lootkeep.worker.loop import PeriodicTask, Worker
from lootkeep.worker.metrics import WorkerMetrics


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
        await receive()
        async with opened(self._settings) as deps:
            await self._serve(deps, state, receive, send)
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, deps: Deps, state: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        settings = closed(self._settings) if deps.demo.is_open_house else self._settings
        async with cast(Engine, deps.db).listening() as token_version, observing(settings) as observation:
            tokens = Tokens(deps, token_version)
            metrics = Metrics()
            metrics.mark_started(deps.clock.now() / SECOND)
            if deps.replica:
                deps.replica.observe = metrics.count_read
            lists = ListKeeper(deps.intelligence)
            uses = PeriodicTask("note token uses", 10, tokens.note_uses)
            reload = PeriodicTask("reload lists", 30, lists.reload)
            tasks, of_worker = (uses, reload), WorkerMetrics(metrics.registry)
            async with working(deps, settings, of_worker, observation, *tasks) as (worker, sandbox):
                slots = slots_for(None if settings.sqlite_path else settings.database_connections)
                is_behind = worker.is_behind if settings.sqlite_path else lambda: False
                state[ADMISSION] = Admission(slots, metrics.refused.inc, is_worker_behind=is_behind)
                live = api(deps, settings, tokens, worker, metrics, observation)
                test = partial(sandbox.api, partial(sandbox_api, settings, worker, observation, live))
                self._api = ModeSwitch(live, test, metrics.test_requests.inc)
                await send({"type": "lifespan.startup.complete"})
                # Lists are read while the server starts to serve; the first order that needs them waits for them.
                reading = asyncio.create_task(lists.reload())
                await receive()
                await reading


def api(
    deps: Deps,
    settings: Settings,
    tokens: Tokens,
    worker: Worker,
    metrics: Metrics,
    observation: Observation = NOT_OBSERVED,
) -> ASGIApp:
    """The application over Deps, however they were built."""
    limits = Limits(deps.limiter, settings.rate_limit_per_minute, settings.auth_failures_per_minute)
    checks: dict[str, Check] = {"database": DatabaseCheck(deps), "worker": worker.is_alive}
    disk = settings.sqlite_path and settings.sqlite_path.parent
    probes = Probes(deps, tokens, limits, metrics, checks, wiring.document, disk)
    console = LateRoutes(deps, console_options(settings, deps))
    pages = probes.app(console, *readers.pages(deps))
    return Api(deps, wiring.router(), tokens, limits, metrics, pages, *observation, agents=_agents(settings))


def sandbox_api(settings: Settings, worker: Worker, observation: Observation, pages: ASGIApp, deps: Deps) -> ASGIApp:
    """The APIs over the sandbox; all other pages are those of the store."""
    tokens = Tokens(deps, lambda: None)
    worker.add((PeriodicTask("note uses of test tokens", 10, tokens.note_uses),))
    limits = Limits(deps.limiter, settings.rate_limit_per_minute, settings.auth_failures_per_minute)
    return Api(deps, wiring.router(), tokens, limits, None, pages, *observation, agents=_agents(settings))


def _agents(settings: Settings) -> LateAgents:
    changes, personal_data = settings.mcp_changes, settings.mcp_personal_data
    return LateAgents(agent_options(settings, allows_changes=changes, has_personal_data=personal_data))


def agent_options(settings: Settings, *, allows_changes: bool, has_personal_data: bool) -> AgentOptions:
    return AgentOptions(wiring.router(), partial(examine, settings), allows_changes, has_personal_data)


def console_options(settings: Settings, deps: Deps) -> Options:
    proxy = settings.proxy_auth_header and TrustedProxy(
        settings.proxy_auth_header,
        settings.proxy_auth_networks,
        settings.proxy_auth_groups_header,
        settings.proxy_auth_roles,
    )
    check, has_passwords = partial(examine, settings), settings.password_sign_in
    return Options(deps.settings, settings.webhook_retry_delays, check, has_passwords, proxy or None)


async def examine(settings: Settings, deps: Deps) -> list[health_service.Finding]:
    # What is wired here is an engine, or the replica of one: only within a change do Deps hold less.
    engine = nullcontext(cast(Engine, deps.replica.primary if deps.replica else deps.db))
    config, sender = effective(settings, deps.settings.stored), deps.settings.mailer()
    return await health_service.examine(config, lambda: engine, sender, deps.outbound, deps.intelligence, deps.clock)
