"""Below the framework: what the HTTP parser itself refuses is answered in the envelope too."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lootkeep.api.http import envelope
from lootkeep.api.http.errors import BadRequest

# Generous for any honest client; the parser itself would buffer a header without end.
_LARGEST_HEAD = 64 * 1024


class Protocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1 with a limit on the head of a request and our own words for a bad one."""

    # Bytes of a head that has not ended yet; None while a body is read.
    _head: int | None = 0

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            self._head += len(data)
            if self._head > _LARGEST_HEAD and not self._ends_head(data):
                self.send_400_response("The head of the request is larger than 64 KiB.")
                return
        super().data_received(data)

    def on_headers_complete(self) -> None:
        self._head = None
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

    def _ends_head(self, data: bytes) -> bool:
        """A large body may arrive in the same packet as the end of a small head."""
        return data.find(b"\r\n\r\n", 0, _LARGEST_HEAD) >= 0 and self._head == len(data)
