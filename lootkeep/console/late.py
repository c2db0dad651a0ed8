"""The console as one route: the first visit imports its pages and compiles its templates, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from starlette.routing import BaseRoute, Match, Router
from starlette.types import Receive, Scope, Send

from lootkeep.console.page import PREFIX


class LateRoutes(BaseRoute):
    """All paths of the console. A service that is called by machines only never builds its pages."""

    def __init__(self, build: Callable[[], Sequence[BaseRoute]]) -> None:
        self._build = build
        self._built: asyncio.Task[Router] | None = None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_below = scope["type"] == "http" and f"{scope['path']}/".startswith(f"{PREFIX}/")
        return (Match.FULL if is_below else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._built is None:
            self._built = asyncio.create_task(asyncio.to_thread(self._router))
        # A visitor who leaves must not take it away from the others.
        router = await asyncio.shield(self._built)
        await router(scope, receive, send)

    def _router(self) -> Router:
        return Router(self._build(), redirect_slashes=False)
