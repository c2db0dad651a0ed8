"""The public pages that e-mails link to: unsubscribing, and counting opens and clicks."""

from __future__ import annotations

import base64
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lootkeep.deps import Deps
from lootkeep.kernel.errors import Unavailable
from lootkeep.services import campaigns as campaigns_service

if TYPE_CHECKING:
    from jinja2 import Environment

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
_HEADERS = {
    "x-content-type-options": "nosniff",
    "content-security-policy": _POLICY,
    # The token is in the URL: it must not leak to the next page.
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
}
# The smallest possible image: transparent, one pixel.
_PIXEL = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def pages(deps: Deps) -> list[Route]:
    """Short URLs, because they are part of e-mails."""
    reader = _ReaderPages(deps)
    return [
        Route("/u/{token}", reader.ask, methods=["GET"]),
        Route("/u/{token}", reader.unsubscribe, methods=["POST"]),
        Route("/u/{token}/undo", reader.undo, methods=["POST"]),
        Route("/r/{token}", reader.referred, methods=["GET"]),
        Route("/p/{token}", reader.opened, methods=["GET"]),
        Route("/c/{token}", reader.followed, methods=["GET"]),
    ]


class _ReaderPages:
    """One method per page. An invalid token gets a page that says so, and changes nothing."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps

    async def ask(self, request: Request) -> Response:
        """Opening the page changes nothing: mail scanners follow every link."""
        token = request.path_params["token"]
        if campaigns_service.recipient_of(self._deps, token, campaigns_service.UNSUBSCRIBE) is None:
            return self._page("unknown", 404)
        return self._page("ask")

    async def unsubscribe(self, request: Request) -> Response:
        """The button of the page above, and the one-click request of RFC 8058, with any body."""
        token = request.path_params["token"]
        if campaigns_service.recipient_of(self._deps, token, campaigns_service.UNSUBSCRIBE) == campaigns_service.NOBODY:
            return self._page("test")
        is_done = await campaigns_service.unsubscribe(self._deps, token)
        return self._page("done", undo=f"{token}/undo") if is_done else self._page("unknown", 404)

    async def undo(self, request: Request) -> Response:
        is_done = await campaigns_service.undo_unsubscribe(self._deps, request.path_params["token"])
        return self._page("undone") if is_done else self._page("unknown", 404)

    async def opened(self, request: Request) -> Response:
        # The image is sent even if the open cannot be counted.
        with suppress(Unavailable):
            await campaigns_service.note_opened(self._deps, request.path_params["token"])
        return Response(_PIXEL, media_type="image/gif", headers=_HEADERS)

    async def followed(self, request: Request) -> Response:
        target = await campaigns_service.follow(self._deps, request.path_params["token"])
        if target is None:
            return self._page("unknown", 404)
        return RedirectResponse(target, 302, _HEADERS)

    async def referred(self, request: Request) -> Response:
        target = await campaigns_service.follow_referral(self._deps, request.path_params["token"])
        if target is None:
            return self._page("unknown", 404)
        return RedirectResponse(target, 302, _HEADERS)

    def _page(self, state: str, status: int = 200, *, undo: str | None = None) -> Response:
        template = _environment().get_template("unsubscribe.html")
        page = template.render(state=state, store=self._deps.store, undo=undo)
        return Response(page, status, _HEADERS, "text/html")


@cache
def _environment() -> Environment:
    # Loaded for the first page.
    from jinja2 import Environment, FileSystemLoader

    return Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True)
