"""What caused the work that is under way: log lines name it, and events remember it."""

from __future__ import annotations

from contextvars import ContextVar


class Cause:
    """One request or delivery, and the ids of what it turned out to be about."""

    __slots__ = ("ids", "traceparent")

    def __init__(self, traceparent: str | None = None, **ids: str | int | None) -> None:
        self.ids = ids
        # The W3C trace context that events carry on; None when nothing is traced.
        self.traceparent = traceparent


# Tasks and threads that the work starts share the object, so what one of them notes is known to all.
CURRENT: ContextVar[Cause | None] = ContextVar("cause", default=None)


def note(**ids: str | int) -> None:
    """Adds what the work is about, such as the order, to every log line from here on."""
    if cause := CURRENT.get():
        cause.ids.update(ids)
