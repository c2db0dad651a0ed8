"""The ASGI application: every response has the envelope, its request id, limits and security headers."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from lootkeep.api.http import envelope, links, waiting
from lootkeep.api.http.admission import TICKET, AdmissionTicket
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.body import parse_body, read_body
from lootkeep.api.http.errors import Forbidden, MethodNotAllowed, ServerError
from lootkeep.api.http.exchange import CSV, AsgiMessage, Exchange, Receive, Scope, Send
from lootkeep.api.http.inbox import Inbox
from lootkeep.api.http.limits import Limits
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.observer import Observer
from lootkeep.api.http.router import Router
from lootkeep.api.http.routes import MAX_BODY, Call, Endpoint
from lootkeep.api.http.validation import parse_query
from lootkeep.deps import Deps
from lootkeep.domain.access import TEST_TOKEN_PREFIX, Token
from lootkeep.domain.payments.sources import INBOX, TEST_SLUG
from lootkeep.domain.signing import MODE_HEADER, TEST_MODE
from lootkeep.engines.lines import Lines
from lootkeep.engines.tracing import Tracer
from lootkeep.kernel.cause import CURRENT
from lootkeep.kernel.errors import AppError, Unavailable
from lootkeep.services import idempotency as idempotency_service

ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]

log = structlog.get_logger(__name__)

# Answers one message of an agent: its status, type and body.
Agents = Callable[[Deps, Token, Scope, bytes], Awaitable[tuple[int, bytes, bytes]]]

_API = "/api/"
_MCP = Endpoint("POST", "/mcp")
_TEST_PREFIX = TEST_TOKEN_PREFIX.encode()
# On every response to a test token; the body is the same as in production, so tests are realistic.
MODE = (MODE_HEADER.lower().encode(), TEST_MODE.encode())


class Api:
    """Routes every path under /api by the route table; all other paths are pages."""

    def __init__(
        self,
        deps: Deps,
        router: Router,
        tokens: Tokens,
        limits: Limits,
        metrics: Metrics | None,
        pages: ASGIApp,
        lines: Lines | None = None,
        tracer: Tracer | None = None,
        *,
        agents: Agents | None = None,
    ) -> None:
        self._deps = deps
        self._router = router
        self._tokens = tokens
        self._limits = limits
        self._observer = Observer(metrics, lines, tracer, is_test=deps.is_test)
        self._pages = pages
        self._agents = agents
        self._inbox = Inbox(deps, limits, metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, self._deps.ids.request_id)
        outer = CURRENT.set(exchange.cause)
        try:
            if scope["path"].startswith(_API):
                await self._call(exchange, send, self._answer)
            elif scope["path"].startswith(INBOX):
                await self._call(exchange, send, self._inbox.receive)
            elif self._agents and scope["path"] == _MCP.path:
                await self._call(exchange, send, self._answer_agent)
            else:
                # Pages have a request id too.
                await self._pages(scope, receive, _adding(send, (b"x-request-id", exchange.request_id.encode())))
        finally:
            CURRENT.reset(outer)

    async def _call(self, exchange: Exchange, send: Send, answer: Callable[[Exchange], Awaitable[None]]) -> None:
        started = time.perf_counter()
        self._observer.begin(exchange)
        try:
            await answer(exchange)
        except AppError as reason:
            exchange.fail(reason)
        except asyncio.CancelledError:
            # The server is stopping, and this request did not finish in time.
            exchange.fail(Unavailable())
        except Exception:
            log.exception("request failed", method=exchange.scope["method"], path=exchange.scope["path"])
            exchange.fail(ServerError())
        seconds = time.perf_counter() - started - exchange.waited_seconds
        # Counted before it is sent: a client that has the response finds it counted, in any process.
        self._observer.count(exchange, seconds)
        await exchange.send(send)
        self._observer.end(exchange, seconds)

    async def _answer(self, exchange: Exchange) -> None:
        scope = exchange.scope
        try:
            exchange.route, path = route, _ = self._router.find(scope["method"], scope["path"])
        except AppError:
            await self._show_limits(exchange)
            raise
        exchange.token = token = await self._let_in(exchange)
        if not route.admits(token):
            raise Forbidden(route.scope)
        raw = await self._read_body(exchange, route.max_body) if route.body else b""
        query = parse_query(scope["query_string"], route, exchange.ignored)
        body = await parse_body(raw, route, self._deps, exchange.ignored) if route.body else None

        is_csv_asked = CSV in exchange.headers.get(b"accept", b"")

        async def operation(deps: Deps) -> tuple[int, bytes]:
            call = Call(deps, token, path, body, query, is_csv_asked, partial(waiting.wait, exchange))
            reply = await self._observer.run(exchange, route, call)
            if reply.page is not None:
                exchange.answer_headers += links.headers(scope, reply.page, reply.total)
            answer = route.answer.again() if reply.is_repeated else route.answer
            if reply.csv is not None:
                exchange.content_type = CSV
                return answer.status, reply.csv
            return answer.status, envelope.success(reply, answer.message)

        key = exchange.headers.get(b"idempotency-key")
        if key is None or route.method != "POST":
            deps = self._deps.for_reading() if route.may_read_replica else self._deps
            exchange.status, exchange.body = await operation(deps)
            return
        once = idempotency_service.once_outside if route.is_foreign else idempotency_service.once
        exchange.status, exchange.body, is_replay = await once(
            self._deps, token.id, scope["path"], key.decode("latin-1"), raw, operation
        )
        if is_replay:
            exchange.answer_headers.append((b"idempotent-replayed", b"true"))

    async def _answer_agent(self, exchange: Exchange) -> None:
        """The tools check their own scopes. There is no stream to open and no session to end: only POST."""
        exchange.route = _MCP
        if exchange.scope["method"] != _MCP.method:
            raise MethodNotAllowed([_MCP.method])
        exchange.token = token = await self._let_in(exchange)
        raw = await self._read_body(exchange, MAX_BODY)
        assert self._agents
        answer = await self._agents(self._deps, token, exchange.scope, raw)
        exchange.status, exchange.content_type, exchange.body = answer

    async def _read_body(self, exchange: Exchange, max_bytes: int) -> bytes:
        ticket: AdmissionTicket | None = exchange.scope.get(TICKET)
        if ticket is None or ticket.is_complete:
            return await read_body(exchange.scope, exchange.headers, exchange.receive, max_bytes)
        # Nothing can run until the client has sent the rest of the body: the request must not hold a slot meanwhile.
        ticket.leave()
        raw = await read_body(exchange.scope, exchange.headers, exchange.receive, max_bytes)
        await ticket.enter()
        return raw

    async def _let_in(self, exchange: Exchange) -> Token:
        now = self._deps.clock.now()
        token = await self._tokens.authenticate(exchange.headers.get(b"authorization"), now)
        if token is None:
            raise await self._limits.refuse(exchange.address, now, exchange.answer_headers)
        await self._limits.count(token, now, exchange.answer_headers)
        return token

    async def _show_limits(self, exchange: Exchange) -> None:
        """Every response reports the caller's rate limit, including a 404."""
        now = self._deps.clock.now()
        token = await self._tokens.authenticate(exchange.headers.get(b"authorization"), now)
        if token is None:
            # Counted here too; otherwise tokens could be guessed on unknown paths.
            await self._limits.refuse(exchange.address, now, exchange.answer_headers)
        else:
            await self._limits.show(token, now, exchange.answer_headers)


class ModeSwitch:
    """Routes requests with a test token to the API of the sandbox, and all others to that of the store."""

    def __init__(
        self, live: ASGIApp, test: Callable[[], Awaitable[ASGIApp | None]], on_test_request: Callable[[], None]
    ) -> None:
        self._live = live
        self._test = test
        self._on_test_request = on_test_request

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        is_test = _has_test_token(scope) or scope.get("path", "").startswith(INBOX + TEST_SLUG)
        switched = self._call_test if is_test else self._live
        return switched(scope, receive, send)

    async def _call_test(self, scope: Scope, receive: Receive, send: Send) -> None:
        send = _adding(send, MODE)
        try:
            # Without a sandbox there are no test tokens: the store rejects it like any unknown token.
            app = await self._test() or self._live
        except AppError as reason:
            exchange = Exchange(scope, receive, lambda: secrets.token_hex(8))
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
