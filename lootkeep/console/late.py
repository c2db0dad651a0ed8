"""Console and buyers' pages as one route: the first visit imports them and compiles their templates, in a thread."""

from __future__ import annotations

import asyncio

from starlette.routing import BaseRoute, Match, Router
from starlette.types import Receive, Scope, Send

from lootkeep.console.page import BUYER_PREFIX, PREFIX, Options
from lootkeep.deps import Deps


class LateRoutes(BaseRoute):
    """All paths of the console. A service that is called by machines only never builds its pages."""

    def __init__(self, deps: Deps, options: Options) -> None:
        self._deps = deps
        self._options = options
        self._built: asyncio.Task[Router] | None = None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_below = scope["type"] == "http" and f"{scope['path']}/".startswith((f"{PREFIX}/", f"{BUYER_PREFIX}/"))
        return (Match.FULL if is_below else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._built is None:
            self._built = asyncio.create_task(asyncio.to_thread(self._router))
        # A visitor who leaves must not take it away from the others.
        router = await asyncio.shield(self._built)
        await router(scope, receive, send)

    def _router(self) -> Router:
        from lootkeep.console.buyer_page import BuyerPages
        from lootkeep.console.edge import Edge
        from lootkeep.console.pages import PAGES

        routes = [*BuyerPages(self._deps, self._options).routes(), *Edge(self._deps, self._options, PAGES).routes()]
        return Router(routes, redirect_slashes=False)
