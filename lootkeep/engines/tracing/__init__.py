"""Traces: what a process does for a request, and later for each delivery, as spans of one tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

Attributes = Mapping[str, str | int | None]


class Span(Protocol):
    """A piece of work with a beginning and an end."""

    # For what the work leads to, in this process or another: the W3C trace context.
    traceparent: str

    def end(self, name: str, attributes: Attributes, *, is_good: bool) -> None:
        """Names are known at the end: a request is named after its route."""
        ...


class Tracer(Protocol):
    def start(self, kind: Literal["server", "internal", "client"], parent: str | None) -> Span:
        """A span below another one, or the first of a new trace when the parent is None or makes no sense."""
        ...

    def close(self) -> None:
        """Sends what was not sent yet; takes seconds when nobody receives it."""
        ...


def trace_id(traceparent: str | None) -> str | None:
    """As logs name it."""
    return traceparent.split("-")[1] if traceparent else None
