"""The pages next to the API: health, readiness and metrics; those of the documentation have their own file."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route as Page

from lootkeep.api.http import envelope, gauges
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.documentation import SECURITY, Documentation
from lootkeep.api.http.errors import Forbidden, MethodNotAllowed, ServerError, UnknownPath
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.routes import Reply
from lootkeep.deps import Deps
from lootkeep.kernel.errors import AppError, Unavailable

Check = Callable[[], Awaitable[bool]]

_METRICS_SCOPE = "metrics:read"


class Probes:
    """One method per page; `checks` are what readiness means, by name, and `disk` is where an embedded database is."""

    def __init__(
        self,
        deps: Deps,
        tokens: Tokens,
        limits: Limits,
        metrics: Metrics,
        checks: Mapping[str, Check],
        document: Callable[[], dict[str, Any]],
        disk: Path | None = None,
    ) -> None:
        self._deps = deps
        self._tokens = tokens
        self._limits = limits
        self._metrics = metrics
        self._checks = checks
        self._documentation = Documentation(document)
        self._disk = disk

    def app(self, *others: BaseRoute) -> Starlette:
        """`others` are further pages, such as those that e-mails link to."""
        app = Starlette(
            routes=[
                Page("/", self.home),
                Page("/healthz", self.health),
                Page("/readyz", self.readiness),
                Page("/metrics", self.metrics),
                *others,
                *self._documentation.routes(),
            ],
            exception_handlers={AppError: _on_app_error, HTTPException: _on_http, Exception: _on_error},
        )
        # Starlette would redirect a path with an extra slash to the host of the request's Host header.
        app.router.redirect_slashes = False
        return app

    async def home(self, _: Request) -> Response:
        return RedirectResponse("/console")

    async def health(self, _: Request) -> Response:
        return _data({"status": "alive"})

    async def readiness(self, _: Request) -> Response:
        failing = [name for name, check in self._checks.items() if not await check()]
        if failing:
            raise Unavailable(f"Not ready: {', '.join(failing)}.")
        return _data({"status": "ready"})

    async def metrics(self, request: Request) -> Response:
        authorization = request.headers.get("authorization", "").encode("latin-1")
        now = self._deps.clock.now()
        token = await self._tokens.authenticate(authorization, now)
        if token is None:
            raise await self._limits.refuse(request.client.host if request.client else "", now, [])
        if not token.may(_METRICS_SCOPE):
            raise Forbidden(_METRICS_SCOPE)
        read = await gauges.read(self._deps, self._disk)
        # Thousands of lines take tens of milliseconds, during which requests would wait.
        text = await asyncio.to_thread(self._metrics.text, read)
        return Response(text, media_type=Metrics.content_type, headers=SECURITY)


def _data(data: Any) -> Response:
    return Response(envelope.success(Reply(data), None), media_type="application/json", headers=SECURITY)


async def _on_app_error(_: Request, reason: Exception) -> Response:
    if not isinstance(reason, AppError):
        raise reason
    status, body, headers = envelope.failure(reason)
    extra = {name.decode(): value.decode() for name, value in headers}
    return Response(body, status, {**SECURITY, **extra}, "application/json")


async def _on_http(request: Request, error: Exception) -> Response:
    """Errors of Starlette itself: an unknown page, or a method that a page does not support."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        return await _on_app_error(request, MethodNotAllowed((error.headers or {}).get("Allow", "GET").split(", ")))
    return await _on_app_error(request, UnknownPath())


async def _on_error(request: Request, _: Exception) -> Response:
    return await _on_app_error(request, ServerError())
