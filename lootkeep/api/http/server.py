"""Below the framework: what the HTTP parser itself refuses, or waits for in vain, is answered in the envelope too."""

from __future__ import annotations

import asyncio
from functools import cache, partial

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from lootkeep.api.http import envelope
from lootkeep.api.http.admission import ADMISSION, PROBES, TICKET, Admission, AdmissionTicket
from lootkeep.api.http.envelope import FIXED_HEADERS
from lootkeep.api.http.errors import BadRequest, TooSlow
from lootkeep.kernel.errors import AppError, Overloaded, Unavailable

# Generous for any honest client; the parser itself would buffer a header without end.
_MAX_HEAD = 64 * 1024
# What frames a body in chunks, and the trailer after it: enough for a body of the largest size in chunks of 128 bytes.
_MAX_FRAMING = 64 * 1024
_END_OF_HEAD = b"\r\n\r\n"
# How many Host fields a request has, by its version of HTTP.
_HOSTS = {"1.0": (0, 1), "1.1": (1,)}
_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})
# Connections beyond the limit that may still ask whether the service is alive, and nothing else.
_SURPLUS = 32


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with limits on a request's head and on its arrival, and our own words for a bad one."""

    # From the first byte to the last, for a mebibyte at most; without it a few clients that drip hold everything.
    arrival_seconds = 60.0
    _too_late: asyncio.TimerHandle | None = None
    # Bytes of a head that has not ended yet; None while a body is read.
    _head: int | None = 0
    # The end of the last packet: what ends a head may be split over two.
    _tail = b""
    # Bytes after the head that are not body: sizes and extensions of chunks, and the trailer.
    _framing = 0
    # From the signal to stop: who is idle gets so long to send what is on its way, who sends a request so long to end.
    idle_seconds = 1.0
    rest_seconds = 7.0
    _is_stopping = False
    # One more than the limit allows: it is for probes.
    _is_surplus = False
    # Of the request that was begun or queued last.
    _ticket: AdmissionTicket | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # uvicorn would look at the limit after the head of each request, also on connections that it has accepted.
        limit, self.limit_concurrency = self.limit_concurrency, None
        if limit is not None and len(self.connections) > limit:
            self._is_surplus = True
            if len(self.connections) > limit + _SURPLUS:
                self._refuse(Overloaded())
                return
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        if self._ticket is not None:
            self._ticket.is_gone = True
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            end = (self._tail + data).find(_END_OF_HEAD)
            self._head += len(data) if end < 0 else max(0, end - len(self._tail))
            self._tail = data[-3:]
            if self._head > _MAX_HEAD:
                self.send_400_response("The head of the request is larger than 64 KiB.")
                return
        else:
            self._framing += len(data)
        super().data_received(data)
        # A packet that began with a head was not added, but its body was taken off.
        self._framing = max(0, self._framing)
        if self._framing > _MAX_FRAMING:
            self.send_400_response("The chunk headers and trailers of the request are larger than 64 KiB.")
            return
        if self._too_late is None and self._head != 0:
            self._expect_request()

    def on_header(self, name: bytes, value: bytes) -> None:
        # A trailer comes after the request was judged by its head, so none of its fields counts.
        if self._head is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        names = [name for name, _ in self.headers]
        # RFC 9112, section 3.2. Of two, another server on the way could have read the other one. HTTP/0.9 has no head
        # that could be read.
        if names.count(b"host") not in _HOSTS.get(self.parser.get_http_version(), ()):
            raise ValueError("an HTTP/1.1 request needs exactly one Host header, an HTTP/1.0 request at most one")
        if self.parser.should_upgrade() and not _BODY_HEADERS.isdisjoint(names):
            # After an upgrade the parser reads no body: it would be lost without a word.
            raise ValueError("a request that asks for an upgrade cannot have a body")
        super().on_headers_complete()
        self._head = None
        self._tail = b""
        if self._is_stopping:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._framing -= len(body)
        super().on_body(body)

    def shutdown(self) -> None:
        """Closing now would lose a request that is on its way: it is answered, and its connection closed after that."""
        self._is_stopping = True
        self.timeout_keep_alive = self.idle_seconds  # type: ignore[assignment]
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
            self.timeout_keep_alive_task = self.loop.call_later(self.idle_seconds, self.timeout_keep_alive_handler)
        if self._too_late is not None:
            self._stop_waiting()
            self._expect_request()
        if self.cycle is not None and not self.cycle.response_started:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        self._head = 0
        self._framing = 0
        self._stop_waiting()
        if (ticket := self.scope.get(TICKET)) is not None:
            ticket.is_complete = True  # type: ignore[attr-defined]
        super().on_message_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Begins a request, or queues it: what waits here has cost little, and costs little to refuse."""
        admission: Admission | None = self.app_state.get(ADMISSION)
        is_probe = cycle.scope["path"] in PROBES
        cycle.keep_alive &= not self._is_surplus
        if self._is_surplus and not is_probe:
            self._decline(cycle)
            return
        if admission is None or is_probe:
            super()._start_asgi_task(cycle, app)
            return
        ticket = self._ticket = AdmissionTicket(admission, not cycle.more_body)
        cycle.scope[TICKET] = ticket  # type: ignore[literal-required]
        if admission.try_enter(ticket):
            self._wait_for_slot(cycle, app, ticket, True)
        else:
            admission.queue(ticket, partial(self._wait_for_slot, cycle, app, ticket))

    def _wait_for_slot(
        self, cycle: RequestResponseCycle, app: ASGI3Application, ticket: AdmissionTicket, is_admitted: bool
    ) -> None:
        if not is_admitted:
            self._decline(cycle)
            return

        def end(task: asyncio.Task[None]) -> None:
            # Done callbacks run in the next turn of the event loop, as the admission needs it.
            self.tasks.discard(task)
            ticket.leave()

        task = self.loop.create_task(cycle.run_asgi(app))
        self.tasks.add(task)
        task.add_done_callback(end)

    def _decline(self, cycle: RequestResponseCycle) -> None:
        """Responds instead of the application, which never sees this request."""
        if self.transport.is_closing():
            return
        cycle.response_started = cycle.response_complete = True
        # A body that is still to come would look like the next request to a client that does not send it now.
        cycle.keep_alive &= not cycle.more_body
        head, body = _overloaded(cycle.keep_alive)
        self.transport.write(head if cycle.scope["method"] == "HEAD" else head + body)
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()

    def send_400_response(self, msg: str) -> None:
        self._refuse(BadRequest("bad_request", msg))

    def _expect_request(self) -> None:
        seconds = self.arrival_seconds
        if self._is_stopping or self._is_surplus:
            seconds = self.rest_seconds if self._head != 0 else self.idle_seconds
        self._too_late = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

    def _give_up(self) -> None:
        if self._head == 0:
            # Nothing was asked: there is nothing to say.
            self.transport.close()
        else:
            self._refuse(Unavailable() if self._is_stopping else TooSlow())

    def _refuse(self, reason: AppError) -> None:
        if self._head is None and self.cycle.response_started:
            # The answer did not wait for the body: a second one would be taken for that of the next request.
            self.transport.close()
            return
        self.transport.write(b"".join(_answer(reason, keep_alive=False)))
        self.transport.close()


def _answer(reason: AppError, *, keep_alive: bool) -> tuple[bytes, bytes]:
    """Head and body."""
    status, body, headers = envelope.failure(reason)
    lines = [b"HTTP/1.1 %d %b" % (status, envelope.status_of(reason).name.encode())]
    fields = [*FIXED_HEADERS, (b"content-length", b"%d" % len(body)), *headers]
    lines += [name + b": " + value for name, value in fields]
    if not keep_alive:
        lines.append(b"connection: close")
    return b"\r\n".join([*lines, b"", b""]), body


@cache
def _overloaded(keep_alive: bool) -> tuple[bytes, bytes]:
    return _answer(Overloaded(), keep_alive=keep_alive)
