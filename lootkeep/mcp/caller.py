"""Who calls a tool: a token, and what the routes of the External API give it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from lootkeep.api.http.errors import Forbidden
from lootkeep.api.http.router import Router
from lootkeep.api.http.routes import Call, Reply
from lootkeep.api.http.validation import parse_fields, parse_query
from lootkeep.deps import Deps
from lootkeep.domain.access import Token
from lootkeep.kernel.paging import last_page
from lootkeep.services.health import Finding

_PREFIX = "/api/external/v1"
# Of a list, so that an answer stays small; further pages are asked for.
PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Options:
    """The route table, the checks of `lootkeep doctor`, and what the operator permits."""

    router: Router
    examine: Callable[[Deps], Awaitable[list[Finding]]]
    allows_changes: bool = False
    has_personal_data: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    deps: Deps
    token: Token
    options: Options

    def require(self, scope: str) -> None:
        if not self.token.may(scope):
            raise Forbidden(scope)

    async def read(self, path: str, **query: Any) -> Any:
        return (await self.call("GET", path, **query)).data

    async def page(self, name: str, path: str, **query: Any) -> dict[str, Any]:
        """A page of a list, under its name."""
        reply = await self.call("GET", path, **{"per_page": PAGE_SIZE} | query)
        assert reply.page
        pages = last_page(reply.total, reply.page.size)
        return {name: reply.data, "total": reply.total, "page": reply.page.number, "pages": pages}

    async def part(self, path: str, **query: Any) -> Any:
        """What an answer also has, where the token has the scope; else why not."""
        try:
            return await self.read(path, **query)
        except Forbidden as reason:
            return f"Not included. {reason.message}"

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None, **query: Any) -> Reply:
        """What the route would do for a request with this token; its edge has checked the token and its limit."""
        route, parameters = self.options.router.find(method, _PREFIX + path)
        self.require(route.scope)
        texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        raw = urlencode({name: text for name, text in texts.items() if text is not None}).encode()
        parsed = parse_query(raw, route, [])
        fields = parse_fields(body or {}, route, self.deps, []) if route.body else None
        deps = self.deps.for_reading() if route.may_read_replica else self.deps
        reply = await route.handler(Call(deps, self.token, parameters, fields, parsed))
        reply.message = reply.message or route.answer.message
        return reply
