"""From an address to its page: which paths match, and what their parameters may be."""

from __future__ import annotations

from typing import Any

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from lootkeep.console import guard
from lootkeep.console.page import PREFIX, Answer, Visit
from lootkeep.console.render import ASSETS
from lootkeep.domain import inputs as inputs_rules
from lootkeep.kernel.errors import NotFound


class RecordId(StringConvertor):
    """Digits; any other text matches no page."""

    regex = inputs_rules.RECORD_ID


class Word(StringConvertor):
    """The name of a list, or the id of a delivery."""

    regex = inputs_rules.PATH_WORD


register_url_convertor("record_id", RecordId())
register_url_convertor("word", Word())


class PageRoute(Route):
    """Compares the start of the path first: one of a hundred routes matches, and an expression costs more."""

    def __init__(self, path: str, *arguments: Any, **options: Any) -> None:
        kinds = path.replace("}", ":word}").replace("{id:word}", "{id:record_id}")
        super().__init__(PREFIX + kinds, *arguments, **options)
        self._start = PREFIX + path.partition("{")[0]

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if not scope["path"].startswith(self._start):
            return Match.NONE, {}
        match, child = super().matches(scope)
        # A number that does not fit into the database.
        if match != Match.NONE and inputs_rules.integer(child["path_params"].get("id", "0")) is None:
            return Match.NONE, {}
        return match, child


def back(visit: Visit) -> str:
    """The page that the form is on; the browser says which, and only its path and query are used."""
    _, _, path = visit.request.headers.get("referer", "").partition("://")[2].partition(PREFIX)
    return PREFIX + path.partition("#")[0]


async def nothing(visit: Visit) -> Answer:
    raise NotFound("Page")


async def asset(request: Request) -> Response:
    asset = ASSETS.get(request.path_params["name"])
    if asset is None:
        return Response("Not found", 404, headers=guard.HEADERS, media_type="text/plain")
    content_type, content = asset
    headers = guard.HEADERS | {"cache-control": "public, max-age=31536000, immutable", "content-type": content_type}
    return Response(content, headers=headers)
