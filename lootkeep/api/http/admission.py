"""Admission control: how many requests run at a time, which of the others wait, and which are rejected."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from time import monotonic

import structlog

from lootkeep.kernel.errors import Overloaded

log = structlog.get_logger(__name__)

# The scope key of the ticket of an admitted request, and the state key of the admission.
TICKET = "lootkeep.ticket"
ADMISSION = "lootkeep.admission"
# These paths need no slot: a busy service must not look dead.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})

# Enough for writes to the embedded database to share a commit, and few enough for the worker to get in soon.
_EMBEDDED_SLOTS = 16
# While deliveries wait. Each step of a delivery waits for one turn of the event loop, and so for this many requests. On
# PostgreSQL requests wait for the server most of the time, and leave room by themselves.
_SHARED_SLOTS = 8
# PostgreSQL connections reserved for the worker and the probes.
_RESERVED_CONNECTIONS = 2
# A burst may wait for this long. A queue that has not been empty for this long is not a burst. It is then kept short,
# because otherwise every request would wait for the whole queue, and its client would be gone by the time it is served.
_BURST_SECONDS = 1.0
_OVERLOAD_SECONDS = 0.2
# A request that has run for this long is waiting for something other than the processor: its slot is released.
_SLOW_SECONDS = 0.5
_MAX_SLOW = 256
_WATCH_SECONDS = 0.05
_WARN_SECONDS = 10.0

OnTurn = Callable[[bool], None]


def slots_for(connections: int | None) -> int:
    """By the number of connections to the database; None is the embedded one."""
    return _EMBEDDED_SLOTS if connections is None else max(1, connections - _RESERVED_CONNECTIONS)


class AdmissionTicket:
    """One request: since when it has waited or run, and what its connection knows about it."""

    __slots__ = ("_admission", "_stopping", "is_admitted", "is_complete", "is_endless", "is_gone", "since")

    def __init__(self, admission: Admission, is_complete: bool = False) -> None:
        self._admission = admission
        self.since = monotonic()
        # The body has arrived, so nothing waits for the client any more.
        self.is_complete = is_complete
        self.is_gone = False
        self.is_admitted = False
        # The response goes on until one side closes the connection.
        self.is_endless = False
        self._stopping: asyncio.Future[None] | None = None

    def stopping(self) -> asyncio.Future[None]:
        """Done when the server stops: nothing should wait any more."""
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().create_future()
        return self._stopping

    def stop(self) -> None:
        stopping = self.stopping()
        if not stopping.done():
            stopping.set_result(None)

    async def enter(self) -> None:
        """Waits for a slot; raises when that takes too long."""
        self.since = monotonic()
        if self._admission.try_enter(self):
            return
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._admission.queue(self, partial(_answer, turn))
        try:
            if not await turn:
                raise Overloaded
        except asyncio.CancelledError:
            self.is_gone = True
            self.leave()
            raise

    def leave(self) -> None:
        """Must be called in a later iteration of the event loop than the one that started the request."""
        self._admission.leave(self)


def _answer(turn: asyncio.Future[bool], is_admitted: bool) -> None:
    if not turn.done():
        turn.set_result(is_admitted)


class Admission:
    """Slots for running requests, and a queue in front of them that is limited by time.

    Slots also limit what one iteration of the event loop starts, because they are released in a later one: probes, the
    worker and responses run between requests that never wait for anything.
    """

    def __init__(
        self,
        slots: int,
        on_rejection: Callable[[], None] = lambda: None,
        *,
        is_worker_behind: Callable[[], bool] = lambda: False,
        burst_seconds: float = _BURST_SECONDS,
        overload_seconds: float = _OVERLOAD_SECONDS,
        slow_seconds: float = _SLOW_SECONDS,
    ) -> None:
        self._free = slots
        self._reserved = max(0, slots - _SHARED_SLOTS)
        self._is_worker_behind = is_worker_behind
        self._on_rejection = on_rejection
        self._burst_seconds = burst_seconds
        self._overload_seconds = overload_seconds
        self._slow_seconds = slow_seconds
        # In the order in which they started.
        self._running: dict[AdmissionTicket, bool] = {}
        self._slow = 0
        self._waiting: deque[tuple[AdmissionTicket, OnTurn]] = deque()
        self._queued_since = 0.0
        self._is_watching = False
        self._warned_at = float("-inf")

    def try_enter(self, ticket: AdmissionTicket) -> bool:
        """Admits a request if there is room."""
        if self._waiting or ticket.is_gone or not self._has_room():
            return False
        self._free -= 1
        ticket.is_admitted = True
        self._running[ticket] = True
        return True

    def queue(self, ticket: AdmissionTicket, turn: OnTurn) -> None:
        """Calls `turn` with True when there is a slot, and with False when that takes too long or the client leaves."""
        if not self._waiting:
            self._queued_since = ticket.since
        self._waiting.append((ticket, turn))
        if not self._is_watching:
            self._is_watching = True
            asyncio.get_running_loop().call_later(_WATCH_SECONDS, self._watch)

    def leave(self, ticket: AdmissionTicket) -> None:
        if not ticket.is_admitted:
            return
        ticket.is_admitted = False
        if not self._running.pop(ticket, False):
            self._slow -= 1
            return
        self._free += 1
        if self._waiting:
            self._admit(monotonic())

    def _admit(self, now: float) -> None:
        """Rejects requests at the head that have waited too long, and admits the next ones while there is room."""
        is_burst = now - self._queued_since < self._burst_seconds
        patience = self._burst_seconds if is_burst else self._overload_seconds
        waiting = self._waiting
        while waiting:
            ticket, turn = waiting[0]
            is_refused = ticket.is_gone or now - ticket.since > patience
            if not is_refused and not self._has_room():
                return
            waiting.popleft()
            if is_refused:
                self._note_rejection(now)
            else:
                self._free -= 1
                ticket.since = now
                ticket.is_admitted = True
                self._running[ticket] = True
            turn(not is_refused)

    def _has_room(self) -> bool:
        return self._free > (self._reserved if self._is_worker_behind() else 0)

    def _watch(self) -> None:
        """Runs while a request waits: if all slots are held by requests that hang, no release would start it."""
        now = monotonic()
        for ticket in list(self._running):
            if now - ticket.since < self._slow_seconds or self._slow >= _MAX_SLOW:
                break
            del self._running[ticket]
            self._slow += 1
            self._free += 1
        self._admit(now)
        self._is_watching = bool(self._waiting)
        if self._is_watching:
            asyncio.get_running_loop().call_later(_WATCH_SECONDS, self._watch)

    def _note_rejection(self, now: float) -> None:
        """Counts every rejection but logs few: a line for each would cost more than the rejection."""
        self._on_rejection()
        if now - self._warned_at > _WARN_SECONDS:
            self._warned_at = now
            log.warning("overloaded, some requests are rejected", waiting=len(self._waiting))
