"""Below the framework: requests that the HTTP parser rejects or that never arrive also get the envelope."""

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

# Generous for any honest client; the parser itself would buffer an endless header.
_MAX_HEAD = 64 * 1024
# The chunk headers of a body and the trailer after it: enough for the largest body in chunks of 128 bytes.
_MAX_FRAMING = 64 * 1024
_END_OF_HEAD = b"\r\n\r\n"
# How many Host headers a request must have, by HTTP version.
_HOSTS = {"1.0": (0, 1), "1.1": (1,)}
_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})
# Under this name the scope has the address of the connection, for the console.
PEER = "lootkeep.peer"
# Connections beyond the limit, which may only call the probes.
_SURPLUS = 32


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with limits on a request's head and on its arrival, and our own words for a bad one."""

    # From the first byte to the last, for at most one MiB; without it, a few slow clients could hold everything.
    arrival_seconds = 60.0
    _too_late: asyncio.TimerHandle | None = None
    # Bytes of an unfinished head; None while a body is read.
    _head: int | None = 0
    # The end of the last packet: the end of a head may be split over two packets.
    _tail = b""
    # Bytes after the head that are not body: sizes and extensions of chunks, and the trailer.
    _framing = 0
    # Counted from the signal to stop: how long an idle client may still send, and a half-sent request may take. A load
    # balancer needs up to a second and a half to notice, and sends on its idle connections until then.
    idle_seconds = 2.0
    rest_seconds = 7.0
    _is_stopping = False
    # One connection above the limit: only for probes.
    _is_surplus = False
    # Of the request that was started or queued last.
    _ticket: AdmissionTicket | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # uvicorn would check the limit after the head of each request, even on accepted connections.
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
        # A packet that began with a head was not added, but its body was subtracted.
        self._framing = max(0, self._framing)
        if self._framing > _MAX_FRAMING:
            self.send_400_response("The chunk headers and trailers of the request are larger than 64 KiB.")
            return
        if self._too_late is None and self._head != 0:
            self._expect_request()

    def on_header(self, name: bytes, value: bytes) -> None:
        # A trailer arrives after the request was checked by its head, so its fields are ignored.
        if self._head is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        names = [name for name, _ in self.headers]
        # RFC 9112, section 3.2. With two Host headers, another server on the way could have used the other one.
        # HTTP/0.9 has no headers.
        if names.count(b"host") not in _HOSTS.get(self.parser.get_http_version(), ()):
            raise ValueError("an HTTP/1.1 request needs exactly one Host header, an HTTP/1.0 request at most one")
        if self.parser.should_upgrade() and not _BODY_HEADERS.isdisjoint(names):
            # After an upgrade the parser reads no body: it would be lost silently.
            raise ValueError("a request that asks for an upgrade cannot have a body")
        # Before a middleware replaces the address by what `X-Forwarded-For` says.
        self.scope[PEER] = self.client[0] if self.client else ""  # type: ignore[literal-required]
        super().on_headers_complete()
        self._head = None
        self._tail = b""
        if self._is_stopping:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._framing -= len(body)
        super().on_body(body)

    def shutdown(self) -> None:
        """Closing now would lose a request that is on its way: it gets its response, then the connection is closed."""
        self._is_stopping = True
        if self._ticket is not None and self._ticket.is_endless:
            self.transport.close()
            return
        if self._ticket is not None:
            self._ticket.stop()
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
        """Starts a request or queues it: a queued request has cost little, and costs little to reject."""
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
        if self._is_stopping:
            ticket.stop()
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
            # Done callbacks run in the next iteration of the event loop, as Admission requires.
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
        # The rest of a body would look like the next request if the client did not send it now.
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
            # There was no request, so there is no response.
            self.transport.close()
        else:
            self._refuse(Unavailable() if self._is_stopping else TooSlow())

    def _refuse(self, reason: AppError) -> None:
        if self._head is None and self.cycle.response_started:
            # The response did not wait for the body: a second one would look like that of the next request.
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
