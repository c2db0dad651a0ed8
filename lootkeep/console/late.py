"""Console and buyers' pages as one route: the first visit imports them and compiles their templates, in a thread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from starlette.routing import BaseRoute, Match, Route, Router
from starlette.types import Receive, Scope, Send

from lootkeep.console.page import BUYER_PREFIX, PREFIX, Options
from lootkeep.deps import Deps
from lootkeep.kernel.late import Late

# The area of routes that begin with a parameter.
_ANY = "*"


class LateRoutes(BaseRoute):
    """All paths of the console. A service that is called by machines only never builds its pages."""

    def __init__(self, deps: Deps, options: Options) -> None:
        self._deps = deps
        self._options = options
        # By the word after the prefix: of the routes of all pages, those of one area are compared.
        self._built = Late(self._routers)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_below = scope["type"] == "http" and f"{scope['path']}/".startswith((f"{PREFIX}/", f"{BUYER_PREFIX}/"))
        return (Match.FULL if is_below else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        routers = await self._built.get()
        await routers.get(_area(scope["path"]), routers[_ANY])(scope, receive, send)

    def _routers(self) -> Mapping[str, Router]:
        from lootkeep.console.buyer_page import BuyerPages
        from lootkeep.console.edge import Edge
        from lootkeep.console.pages import PAGES

        routes = [*BuyerPages(self._deps, self._options).routes(), *Edge(self._deps, self._options, PAGES).routes()]
        by_area: dict[str, list[Route]] = defaultdict(list)
        for route in routes:
            area = _area(route.path)
            for each in [_ANY, *by_area] if "{" in area else [area]:
                by_area[each].append(route)
        return {area: Router(found, redirect_slashes=False) for area, found in by_area.items()}


def _area(path: str) -> str:
    return f"{path}//".split("/")[2]
