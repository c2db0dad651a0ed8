"""The row of the route table: one per endpoint; routing, authorisation, OpenAPI and the tests all read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from types import NoneType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

import msgspec
from pydantic import BaseModel

from lootkeep.deps import Deps
from lootkeep.domain.access import Token
from lootkeep.kernel.paging import PageRequest

MAX_BODY = 64 * 1024
# For routes with long texts or long lists.
MAX_LARGE_BODY = 1024 * 1024

# For thousands of keys at once.
MAX_HUGE_BODY = 16 * 1024 * 1024

B = TypeVar("B")
Q = TypeVar("Q")


async def _awaited(news: Coroutine[Any, Any, None]) -> bool:
    await news
    return True


@dataclass(slots=True)
class Call(Generic[B, Q]):
    """One admitted request: who calls, and what was sent, parsed and validated."""

    deps: Deps
    token: Token
    path: dict[str, Any]
    body: B
    query: Q
    # Whether the caller accepts CSV; only the routes that say so return it.
    is_csv_asked: bool = False
    # Awaits something without a slot; False if nobody needs the response any more.
    wait: Callable[[Coroutine[Any, Any, None]], Awaitable[bool]] = _awaited

    @property
    def id(self) -> int:
        """The `{id}` of the path."""
        return int(self.path["id"])


@dataclass(slots=True)
class Reply:
    """What a handler returns; its own message overrides that of the row."""

    data: Any = msgspec.UNSET
    message: str | None = None
    page: PageRequest | None = None
    total: int = 0
    # If the record already existed, the response is 200, not 201, with the route's message for that case.
    is_repeated: bool = False
    # A file instead of JSON.
    csv: bytes | None = None


RouteHandler = Callable[[Call[Any, Any]], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class ResponseShape:
    """The format of a route's success: one view, a list of views, a page of views, or only a message."""

    view: type[msgspec.Struct] | None = None
    is_list: bool = False
    is_paged: bool = False
    message: str | None = None
    status: int = 200
    # The message of a 200 for something that was already done, where that can happen.
    repeated: str | None = None

    def again(self) -> ResponseShape:
        """The same, for something that was already done."""
        if self.repeated is None:
            raise TypeError("a route with a repeatable response must declare it")
        return replace(self, message=self.repeated, status=200, repeated=None)


def single(
    view: type[msgspec.Struct], message: str | None = None, status: int = 200, *, repeated: str | None = None
) -> ResponseShape:
    return ResponseShape(view, message=message, status=status, repeated=repeated)


def many(view: type[msgspec.Struct]) -> ResponseShape:
    return ResponseShape(view, is_list=True)


def paged(view: type[msgspec.Struct]) -> ResponseShape:
    return ResponseShape(view, is_list=True, is_paged=True)


def only_message(message: str) -> ResponseShape:
    return ResponseShape(message=message)


# Compared by identity: it is a key in the tables of the metrics.
@dataclass(frozen=True, slots=True, eq=False)
class Endpoint:
    method: str
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Route(Endpoint):
    """One endpoint of the APIs."""

    handler: RouteHandler
    # What a token needs.
    scope: str
    summary: str
    answer: ResponseShape
    # What is sent, by default as the handler's `Call[Body, Query]` says; a body made by `partial` is named here.
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    # The maximum size of the body in bytes.
    max_body: int = MAX_BODY
    description: str = ""
    # The state of the record can forbid it.
    may_conflict: bool = False
    # The body names records, which may not exist.
    may_miss: bool = False
    # Calls something outside or reads for long: no transaction may be open meanwhile.
    is_foreign: bool = False
    # Its answer depends on what is being committed, which a replica does not know.
    reads_primary: bool = False
    # A second scope that is enough: what tokens needed before the route had its own.
    other_scope: str | None = None
    is_extension: bool = False

    def __post_init__(self) -> None:
        call, *_ = get_type_hints(self.handler).values()
        for name, model in zip(("body", "query"), get_args(call), strict=True):
            if getattr(self, name) is None and model is not NoneType:
                object.__setattr__(self, name, model)

    def admits(self, token: Token) -> bool:
        return token.may(self.scope) or (self.other_scope is not None and token.may(self.other_scope))

    @property
    def may_read_replica(self) -> bool:
        return self.method == "GET" and not self.reads_primary

    @property
    def is_strict(self) -> bool:
        """Whether unknown fields are rejected: in the Store API a mistyped filter would pay a stranger's order."""
        return self.scope.startswith("store:")


# Beyond the specification of the External API.
ExtensionRoute = partial(Route, is_extension=True)


@dataclass(frozen=True, slots=True)
class Group:
    """Routes that belong together in the reference."""

    name: str
    description: str
    routes: tuple[Route, ...]
    prefix: str = "/api/external/v1"

    def routes_below(self, area: str) -> list[Route]:
        """Those with paths below this one; with the whole path, by which metrics and traces know the API."""
        routes = [replace(route, path=self.prefix + route.path) for route in self.routes]
        return [route for route in routes if f"{route.path}/".startswith(f"{area}/")]
