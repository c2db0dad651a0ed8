"""The ASGI application: every request gets an answer in the envelope, with its id, limits and security headers."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import structlog

from lootkeep.api.http import envelope, idempotency
from lootkeep.api.http.admission import PROBES, TICKET, Admission, AdmissionTicket
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.body import parse_body, read_body
from lootkeep.api.http.envelope import FIXED_HEADERS, Headers
from lootkeep.api.http.errors import Forbidden, ServerError
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.router import Router
from lootkeep.api.http.routes import MAX_BODY, Call, Group, Route
from lootkeep.api.http.validation import parse_query
from lootkeep.deps import Deps
from lootkeep.domain.access import TEST_TOKEN_PREFIX, Token
from lootkeep.domain.signing import MODE_HEADER, TEST_MODE
from lootkeep.kernel.errors import AppError, Overloaded, Unavailable

Scope = MutableMapping[str, Any]
AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

log = structlog.get_logger(__name__)

_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
_API = "/api/"
_TEST_PREFIX = TEST_TOKEN_PREFIX.encode()
# On every answer to a test token; the body is the same as that of the store, so that a client meets what it will meet.
MODE = (MODE_HEADER.lower().encode(), TEST_MODE.encode())


class Api:
    """Answers every path under /api from the route table; all other paths are pages."""

    def __init__(
        self,
        deps: Deps,
        groups: tuple[Group, ...],
        tokens: Tokens,
        limits: Limits,
        metrics: Metrics,
        pages: ASGIApp,
    ) -> None:
        self._deps = deps
        self._router = Router(groups)
        self._tokens = tokens
        self._limits = limits
        self._metrics = metrics
        self._pages = pages
        # Ids of test tokens are others than those of the store's.
        self._log = log.bind(mode=TEST_MODE) if deps.is_test else log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(_API):
            # Pages carry a request id too.
            header = (b"x-request-id", self._deps.ids.request_id().encode())
            await self._pages(scope, receive, _adding(send, header))
            return
        started = time.perf_counter()
        exchange = _Exchange(scope, receive, self._deps.ids.request_id)
        try:
            await self._answer(exchange)
        except AppError as reason:
            exchange.fail(reason)
        except asyncio.CancelledError:
            # The server stops, and this request has not ended in the time there was.
            exchange.fail(Unavailable())
        except Exception:
            log.exception("request failed", request_id=exchange.request_id, method=scope["method"], path=scope["path"])
            exchange.fail(ServerError())
        seconds = time.perf_counter() - started
        # Before it is sent: anyone who has the answer finds it counted, whichever process they ask.
        self._metrics.observe(exchange.route, exchange.status, seconds)
        await exchange.send(send)
        self._log.info(
            "request",
            request_id=exchange.request_id,
            method=scope["method"],
            path=scope["path"],
            status=exchange.status,
            token_id=exchange.token.id if exchange.token else None,
            milliseconds=round(seconds * 1000, 2),
        )

    async def _answer(self, exchange: _Exchange) -> None:
        scope = exchange.scope
        try:
            exchange.route, path = self._router.find(scope["method"], scope["path"])
        except AppError:
            await self._show_limits(exchange)
            raise
        route = exchange.route
        exchange.token = token = await self._let_in(exchange)
        if not token.may(route.scope):
            raise Forbidden(route.scope)
        raw = await self._read_body(exchange, route.max_body) if route.body else b""
        query = parse_query(scope["query_string"], route.query) if route.query else None
        is_large = route.max_body > MAX_BODY
        body = await parse_body(raw, route.body, self._deps, may_be_large=is_large) if route.body else None

        async def operation(deps: Deps) -> tuple[int, bytes]:
            reply = await route.handler(Call(deps, token, path, body, query))
            answer = route.answer.again() if reply.is_repeated else route.answer
            return answer.status, envelope.success(reply, answer.message)

        key = exchange.headers.get(b"idempotency-key")
        if key is None or route.method != "POST":
            exchange.status, exchange.body = await operation(self._deps)
            return
        once = idempotency.once_outside if route.is_foreign else idempotency.once
        exchange.status, exchange.body, is_replay = await once(
            self._deps, token.id, scope["path"], key.decode("latin-1"), raw, operation
        )
        if is_replay:
            exchange.answer_headers.append((b"idempotent-replayed", b"true"))

    async def _read_body(self, exchange: _Exchange, max_bytes: int) -> bytes:
        ticket: AdmissionTicket | None = exchange.scope.get(TICKET)
        if ticket is None or ticket.is_complete:
            return await read_body(exchange.scope, exchange.headers, exchange.receive, max_bytes)
        # Nothing is worked on until the client has sent the rest: it must not hold a slot meanwhile.
        ticket.leave()
        raw = await read_body(exchange.scope, exchange.headers, exchange.receive, max_bytes)
        await ticket.enter()
        return raw

    async def _let_in(self, exchange: _Exchange) -> Token:
        now = self._deps.clock.now()
        token = await self._tokens.authenticate(exchange.headers.get(b"authorization"), now)
        if token is None:
            raise await self._limits.refuse(exchange.address, now, exchange.answer_headers)
        await self._limits.count(token, now, exchange.answer_headers)
        return token

    async def _show_limits(self, exchange: _Exchange) -> None:
        """Every response reports the caller's rate limit, including a 404."""
        now = self._deps.clock.now()
        token = await self._tokens.authenticate(exchange.headers.get(b"authorization"), now)
        if token is None:
            # Counted here too, or tokens could be guessed where there is nothing.
            await self._limits.refuse(exchange.address, now, exchange.answer_headers)
        else:
            await self._limits.show(token, now, exchange.answer_headers)


class AdmissionMiddleware:
    """The application behind admission control, also on a server that does not queue requests itself."""

    def __init__(self, app: ASGIApp, admission: Admission) -> None:
        self._app = app
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if TICKET in scope or scope["path"] in PROBES:
            await self._app(scope, receive, send)
            return
        scope[TICKET] = ticket = AdmissionTicket(self._admission)
        try:
            await ticket.enter()
            await self._app(scope, receive, send)
        except Overloaded as reason:
            exchange = _Exchange(scope, receive, lambda: secrets.token_hex(8))
            exchange.fail(reason)
            await exchange.send(send)
        finally:
            # In the next turn of the event loop, for the reason that Admission gives.
            asyncio.get_running_loop().call_soon(ticket.leave)


class ModeSwitch:
    """Requests with a test token go to the API of the sandbox, all others to that of the store itself."""

    def __init__(
        self, live: ASGIApp, test: Callable[[], Awaitable[ASGIApp | None]], on_test_request: Callable[[], None]
    ) -> None:
        self._live = live
        self._test = test
        self._on_test_request = on_test_request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _has_test_token(scope):
            await self._live(scope, receive, send)
            return
        send = _adding(send, MODE)
        try:
            # Without a sandbox there are no test tokens: the store refuses it like any other that it does not know.
            app = await self._test() or self._live
        except AppError as reason:
            exchange = _Exchange(scope, receive, lambda: secrets.token_hex(8))
            exchange.fail(reason)
            await exchange.send(send)
        else:
            await app(scope, receive, send)
        self._on_test_request()


def _has_test_token(scope: Scope) -> bool:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return _TEST_PREFIX in value
    return False


def _adding(send: Send, header: tuple[bytes, bytes]) -> Send:
    async def adding(message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], header]
        await send(message)

    return adding


class _Exchange:
    """One request on its way to an answer."""

    __slots__ = ("answer_headers", "body", "headers", "receive", "request_id", "route", "scope", "status", "token")

    def __init__(self, scope: Scope, receive: Receive, make_id: Callable[[], str]) -> None:
        self.scope = scope
        self.receive = receive
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        given = self.headers.get(b"x-request-id", b"")
        self.request_id = given.decode() if _REQUEST_ID.fullmatch(given) else make_id()
        self.answer_headers: Headers = []
        self.route: Route | None = None
        self.token: Token | None = None
        self.status = 500
        self.body = b""

    @property
    def address(self) -> str:
        """Where the request comes from."""
        client = self.scope.get("client")
        return client[0] if client else ""

    def fail(self, reason: AppError) -> None:
        self.status, self.body, headers = envelope.failure(reason)
        self.answer_headers += headers

    async def send(self, send: Send) -> None:
        headers = [
            *FIXED_HEADERS,
            (b"content-length", str(len(self.body)).encode()),
            (b"x-request-id", self.request_id.encode()),
            *self.answer_headers,
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        body = b"" if self.scope["method"] == "HEAD" else self.body
        await send({"type": "http.response.body", "body": body})
