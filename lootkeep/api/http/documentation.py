"""The pages below /docs, each built by its first visit: the reference, the guides, and the search over both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route as Page

from lootkeep.api.http.errors import UnknownPath
from lootkeep.api.http.resources import Resource
from lootkeep.kernel.late import Late

if TYPE_CHECKING:
    from lootkeep.api.http.guides.search import Target
    from lootkeep.api.http.reference.shown import ApiDoc

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY = {"x-content-type-options": "nosniff", "content-security-policy": _POLICY, "referrer-policy": "no-referrer"}
_HTML, _JSON = "text/html; charset=utf-8", "application/json"
_TEXT, _MARKDOWN = "text/plain; charset=utf-8", "text/markdown; charset=utf-8"
_IMAGES = (".png", ".svg")


class Documentation:
    """One method per kind of page; templates and guides are loaded with the first visit."""

    def __init__(self, document: Callable[[], dict[str, Any]]) -> None:
        self._openapi = Late(lambda: Resource.of(_JSON, msgspec.json.encode(document())))
        api = cache(lambda: _read(document()))
        self._reference = Late(lambda: Resource.of(_HTML, _reference(api())))
        self._targets = cache(lambda: _targets(api()))
        self._index = Late(lambda: Resource.of(_JSON, msgspec.json.encode(self._targets())))
        self._llms = Late(lambda: Resource.of(_TEXT, _llms_txt()))
        self._guides: dict[str, Late[Resource]] = {}

    def routes(self) -> list[BaseRoute]:
        return [
            Page("/openapi.json", self.openapi),
            Page("/llms.txt", self.llms),
            Page("/docs", self.reference),
            Page("/docs/", _to("/docs")),
            Page("/docs/search", self.search),
            Page("/docs/search.json", self.index),
            Page("/docs/guides", _to("/docs/guides/index")),
            Page("/docs/guides/", _to("/docs/guides/index")),
            Page("/docs/guides/{path:path}", self.guide),
            Page("/docs/{name}", self.asset),
        ]

    async def openapi(self, request: Request) -> Response:
        return (await self._openapi.get()).answer(request, SECURITY)

    async def llms(self, request: Request) -> Response:
        return (await self._llms.get()).answer(request, SECURITY)

    async def reference(self, request: Request) -> Response:
        return (await self._reference.get()).answer(request, SECURITY)

    async def asset(self, request: Request) -> Response:
        asset = _assets().get(request.path_params["name"])
        if asset is None:
            raise UnknownPath
        return asset.answer(request, SECURITY)

    async def index(self, request: Request) -> Response:
        return (await self._index.get()).answer(request, SECURITY)

    async def search(self, request: Request) -> Response:
        """The results as a page, for browsers without JavaScript."""
        html = await asyncio.to_thread(self._results, request.query_params.get("q", ""))
        return Response(html, media_type=_HTML, headers=SECURITY)

    async def guide(self, request: Request) -> Response:
        path = request.path_params["path"]
        if path.endswith(_IMAGES):
            return await _image(path, request)
        if path not in self._guides:
            build = await asyncio.to_thread(_guide, path)
            if build is None:
                html = await asyncio.to_thread(_not_found, request.scope["path"])
                return Response(html, 404, SECURITY, _HTML)
            self._guides.setdefault(path, Late(build))
        return (await self._guides[path].get()).answer(request, SECURITY)

    def _results(self, query: str) -> bytes:
        from lootkeep.api.http.guides import pages
        from lootkeep.api.http.guides.search import MAX_QUERY_CHARACTERS, find

        query = query[:MAX_QUERY_CHARACTERS]
        return pages.search(query, find(self._targets(), query))


def _to(path: str) -> Callable[[Request], Awaitable[Response]]:
    async def redirect(_: Request) -> Response:
        return RedirectResponse(path)

    return redirect


async def _image(path: str, request: Request) -> Response:
    from starlette.staticfiles import StaticFiles

    from lootkeep.api.http.guides.contents import DOCS

    # In a checkout, plots are links to where the benchmark writes them.
    response = await StaticFiles(directory=DOCS, follow_symlink=True).get_response(path, request.scope)
    response.headers.update({**SECURITY, "cache-control": "no-cache"})
    return response


def _guide(path: str) -> Callable[[], Resource] | None:
    """What builds the page, or its Markdown where the path ends with `.md`; nothing if there is no such page."""
    from lootkeep.api.http.guides import contents, pages

    name = path.removesuffix(".md")
    if name not in contents.pages():
        return None
    if name == path:
        return lambda: Resource.of(_HTML, pages.guide(name))
    return lambda: Resource.of(_MARKDOWN, contents.markdown(name).encode())


def _not_found(path: str) -> bytes:
    from lootkeep.api.http.guides import pages

    return pages.not_found(path)


def _llms_txt() -> bytes:
    from lootkeep.api.http.guides import pages

    return pages.llms_txt()


def _read(document: dict[str, Any]) -> ApiDoc:
    from lootkeep.api.http.reference.operations import read

    return read(document)


def _reference(api: ApiDoc) -> bytes:
    from lootkeep.api.http.reference import render

    return render(api)


def _targets(api: ApiDoc) -> list[Target]:
    from lootkeep.api.http.guides.search import targets

    return targets(api)


@cache
def _assets() -> dict[str, Resource]:
    from lootkeep.api.http.reference import ASSETS

    return {name: Resource.of(*asset) for name, asset in ASSETS.items()}
