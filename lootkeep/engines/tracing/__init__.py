"""Traces: the work of a process for a request, and later for each delivery, as spans of one tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

Attributes = Mapping[str, str | int | None]


class Span(Protocol):
    """A piece of work with a start and an end."""

    # The W3C trace context, for work that this span causes in this or another process.
    traceparent: str

    def end(self, name: str, attributes: Attributes, *, is_good: bool) -> None:
        """The name is known at the end: a request is named after its route."""
        ...


class Tracer(Protocol):
    def start(self, kind: Literal["server", "internal", "client"], parent: str | None) -> Span:
        """A span below another one, or the first of a new trace if the parent is None or invalid."""
        ...

    def close(self) -> None:
        """Sends pending spans; takes seconds if nobody receives them."""
        ...


def trace_id(traceparent: str | None) -> str | None:
    """The trace id in the format of logs."""
    return traceparent.split("-")[1] if traceparent else None
