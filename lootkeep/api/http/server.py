"""Below the framework: what the HTTP parser itself refuses is answered in the envelope too."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lootkeep.api.http import envelope
from lootkeep.api.http.errors import BadRequest

# Generous for any honest client; the parser itself would buffer a header without end.
_LARGEST_HEAD = 64 * 1024
_END_OF_HEAD = b"\r\n\r\n"


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with a limit on the head of a request and our own words for a bad one."""

    # Bytes of a head that has not ended yet; None while a body is read.
    _head: int | None = 0
    # The end of the last packet: what ends a head may be split over two.
    _tail = b""

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            end = (self._tail + data).find(_END_OF_HEAD)
            self._head += len(data) if end < 0 else max(0, end - len(self._tail))
            self._tail = data[-3:]
            if self._head > _LARGEST_HEAD:
                self.send_400_response("The head of the request is larger than 64 KiB.")
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._head = None
        self._tail = b""
        names = {name for name, _ in self.headers}
        if self.parser.should_upgrade() and names & {b"content-length", b"transfer-encoding"}:
            # After an upgrade the parser reads no body: it would be lost without a word.
            raise ValueError("a request that asks for an upgrade cannot have a body")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._head = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        status, body, _ = envelope.failure(BadRequest("bad_request", msg))
        head = (
            f"HTTP/1.1 {status} Bad Request\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
