"""The cause of the current work: log lines name it, and events record it."""

from __future__ import annotations

from contextvars import ContextVar


class Cause:
    """One request or delivery, and the ids of the records it concerns."""

    __slots__ = ("ids", "traceparent")

    def __init__(self, traceparent: str | None = None, **ids: str | int | None) -> None:
        self.ids = ids
        # The W3C trace context that events carry; None if nothing is traced.
        self.traceparent = traceparent


# Tasks and threads that the work starts share the object, so all of them see what one adds.
CURRENT: ContextVar[Cause | None] = ContextVar("cause", default=None)


def note(**ids: str | int) -> None:
    """Adds a record, such as the order, to every following log line."""
    if cause := CURRENT.get():
        cause.ids.update(ids)
