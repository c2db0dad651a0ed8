"""What is recorded about each request: metrics, a log line, and spans if there is a tracer."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from lootkeep.api.http.exchange import Exchange
from lootkeep.api.http.metrics import Metrics
from lootkeep.api.http.routes import Call, Reply, Route
from lootkeep.domain.signing import TEST_MODE
from lootkeep.engines.lines import Lines, RequestLine
from lootkeep.engines.tracing import Tracer, trace_id


class Observer:
    def __init__(self, metrics: Metrics | None, lines: Lines | None, tracer: Tracer | None, *, is_test: bool) -> None:
        self._metrics = metrics
        self._lines = lines
        self._tracer = tracer
        self._mode: str | UnsetType = TEST_MODE if is_test else UNSET

    def begin(self, exchange: Exchange) -> None:
        if self._tracer is None:
            return
        parent = exchange.headers.get(b"traceparent", b"").decode("latin-1")
        exchange.span = self._tracer.start("server", parent)
        exchange.cause.traceparent = exchange.span.traceparent
        exchange.cause.ids["trace_id"] = trace_id(exchange.span.traceparent)

    async def run(self, exchange: Exchange, route: Route, call: Call[Any, Any]) -> Reply:
        """The service behind the route; everything it causes is below its span."""
        if self._tracer is None or exchange.span is None:
            return await route.handler(call)
        span = self._tracer.start("internal", exchange.span.traceparent)
        exchange.cause.traceparent = span.traceparent
        is_good = False
        try:
            reply = await route.handler(call)
            is_good = True
            return reply
        finally:
            exchange.cause.traceparent = exchange.span.traceparent
            span.end(route.handler.__name__, {}, is_good=is_good)

    def count(self, exchange: Exchange, seconds: float) -> None:
        if self._metrics:
            self._metrics.observe(exchange.route, exchange.status, seconds)

    def end(self, exchange: Exchange, seconds: float) -> None:
        is_good = exchange.status < 400
        if self._lines and self._lines.wants(is_good=is_good, seconds=seconds):
            self._lines.write(self._line(exchange, seconds), is_good=is_good)
        if exchange.span:
            self._end_span(exchange)

    def _line(self, exchange: Exchange, seconds: float) -> RequestLine:
        ids = exchange.cause.ids
        return RequestLine(
            event="request",
            request_id=exchange.request_id,
            order=ids.get("order", UNSET),
            trace_id=ids.get("trace_id", UNSET),
            method=exchange.scope["method"],
            path=exchange.scope["path"],
            status=exchange.status,
            token_id=exchange.token.id if exchange.token else None,
            milliseconds=round(seconds * 1000, 2),
            mode=self._mode,
        )

    def _end_span(self, exchange: Exchange) -> None:
        assert exchange.span
        method, route = exchange.scope["method"], exchange.route.path if exchange.route else None
        attributes = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": exchange.status,
            "lootkeep.request_id": exchange.request_id,
            "lootkeep.order": exchange.cause.ids.get("order"),
        }
        exchange.span.end(f"{method} {route or 'unknown'}", attributes, is_good=exchange.status < 500)
