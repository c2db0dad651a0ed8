"""Below the framework: what the HTTP parser itself refuses, or waits for in vain, is answered in the envelope too."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lootkeep.api.http import envelope
from lootkeep.api.http.errors import BadRequest, TooSlow
from lootkeep.kernel.errors import Reason

# Generous for any honest client; the parser itself would buffer a header without end.
_LARGEST_HEAD = 64 * 1024
# What frames a body in chunks, and the trailer after it: enough for a body of the largest size in chunks of 128 bytes.
_MAX_FRAMING = 64 * 1024
_END_OF_HEAD = b"\r\n\r\n"
_VERSIONS = ("1.0", "1.1")
_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding"})


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

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            end = (self._tail + data).find(_END_OF_HEAD)
            self._head += len(data) if end < 0 else max(0, end - len(self._tail))
            self._tail = data[-3:]
            if self._head > _LARGEST_HEAD:
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
        if names.count(b"host") > 1 or self.parser.get_http_version() not in _VERSIONS:
            # Another server on the way could have read the other one; HTTP/0.9 has no head that could be read.
            raise ValueError("a request needs one Host at most, and HTTP/1.0 or HTTP/1.1")
        if self.parser.should_upgrade() and not _BODY_HEADERS.isdisjoint(names):
            # After an upgrade the parser reads no body: it would be lost without a word.
            raise ValueError("a request that asks for an upgrade cannot have a body")
        super().on_headers_complete()
        self._head = None
        self._tail = b""

    def on_body(self, body: bytes) -> None:
        self._framing -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head = 0
        self._framing = 0
        self._stop_waiting()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(BadRequest("bad_request", msg))

    def _expect_request(self) -> None:
        self._too_late = self.loop.call_later(self.arrival_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._too_late is not None:
            self._too_late.cancel()
            self._too_late = None

    def _give_up(self) -> None:
        if self._head == 0:
            # Nothing was asked: there is nothing to say.
            self.transport.close()
        else:
            self._refuse(TooSlow())

    def _refuse(self, reason: Reason) -> None:
        if self._head is None and self.cycle.response_started:
            # The answer did not wait for the body: a second one would be taken for that of the next request.
            self.transport.close()
            return
        status, body, _ = envelope.failure(reason)
        head = (
            f"HTTP/1.1 {status} {envelope.status_of(reason).name}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
