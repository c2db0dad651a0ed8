"""The looks of open consoles at pages that moved: all that look at one page after the same news share a rendering."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from lootkeep.console.page import Visit
from lootkeep.domain.roles import Permissions
from lootkeep.kernel.late import has_failed

# What these show depends on the address and on what the role may see, and no row has a form.
_SHARED = frozenset({"list.html", "overview.html"})
# Of the last news; each takes up to 100 KB.
_MAX_RENDERINGS = 64

Key = tuple[str, Permissions, str]


class Looks:
    """A look names the news that it follows, so what was rendered for another look after the same news holds it."""

    def __init__(self) -> None:
        self._renderings: dict[Key, asyncio.Future[str]] = {}

    def are_shared(self, visit: Visit) -> bool:
        return _news(visit) not in ("", "yes") and visit.page.template in _SHARED

    async def share(self, visit: Visit, render: Callable[[Visit], Awaitable[str]]) -> Response:
        key = (_news(visit), visit.user.permissions, str(visit.request.url))
        if key not in self._renderings or has_failed(self._renderings[key]):
            if len(self._renderings) >= _MAX_RENDERINGS:
                del self._renderings[next(iter(self._renderings))]
            self._renderings[key] = asyncio.ensure_future(render(visit))
        # Who leaves does not take it from the others.
        return Response(await asyncio.shield(self._renderings[key]), media_type="text/html")


def _news(visit: Visit) -> str:
    return visit.request.headers.get("x-live", "")
