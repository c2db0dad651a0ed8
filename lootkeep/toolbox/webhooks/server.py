"""A small HTTP/1.1 server for POST requests, which passes on headers as they were written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from lootkeep.toolbox.webhooks.received import ListenerResponse

# Many times what the store sends, so this tool never rejects a delivery.
_MAX_REQUEST_BYTES = 16 * 1024 * 1024
_BLOCK_BYTES = 64 * 1024
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
# These responses have no body and no length.
_WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


class ReceivedRequest(NamedTuple):
    method: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes
    keeps_alive: bool


RequestHandler = Callable[[ReceivedRequest], Awaitable[ListenerResponse]]


class Connections:
    """What `asyncio.start_server` calls for each connection."""

    def __init__(self, handler: RequestHandler) -> None:
        self._handler = handler
        self._answering: set[asyncio.Task[ListenerResponse]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The sender may have gone.
        with suppress(OSError):
            try:
                await self._exchange(reader, writer)
            finally:
                writer.close()
                await writer.wait_closed()

    async def finish(self, seconds: float) -> None:
        """Requests in progress get this long to finish."""
        if self._answering:
            await asyncio.wait(self._answering, timeout=seconds)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        incoming = _Incoming(writer)
        while data := await reader.read(_BLOCK_BYTES):
            if error := incoming.feed(data):
                writer.write(_encoded(error, keeps_alive=False))
                return
            while incoming.requests:
                request = incoming.requests.pop(0)
                writer.write(_encoded(await self._answer(request), keeps_alive=request.keeps_alive))
                if not request.keeps_alive:
                    return

    async def _answer(self, request: ReceivedRequest) -> ListenerResponse:
        if request.method != b"POST":
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED)
        task = asyncio.ensure_future(self._handler(request))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)
        return await task


class _Incoming:
    """Collects requests; the parser calls the methods that begin with `on_`."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.requests: list[ReceivedRequest] = []
        self._writer = writer
        self._parser = HttpRequestParser(self)
        self._received_bytes = 0

    def feed(self, data: bytes) -> ListenerResponse | None:
        """The response if this is not a valid request, or if it is too large."""
        self._received_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            return _plain(HTTPStatus.BAD_REQUEST)
        if self.requests:
            self._received_bytes = 0
        is_too_large = self._received_bytes > _MAX_REQUEST_BYTES
        return _plain(HTTPStatus.REQUEST_ENTITY_TOO_LARGE) if is_too_large else None

    def on_message_begin(self) -> None:
        self._headers: list[tuple[bytes, bytes]] = []
        self._body = bytearray()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        if any(name.lower() == b"expect" for name, _ in self._headers):
            self._writer.write(_CONTINUE)

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        parser = self._parser
        request = ReceivedRequest(parser.get_method(), self._headers, bytes(self._body), parser.should_keep_alive())
        self.requests.append(request)


def _plain(status: HTTPStatus) -> ListenerResponse:
    return ListenerResponse(status, status.phrase.encode())


def _encoded(answer: ListenerResponse, *, keeps_alive: bool) -> bytes:
    connection = "" if keeps_alive else "Connection: close\r\n"
    head = f"HTTP/1.1 {answer.status:d} \r\nContent-Type: {answer.content_type}\r\n{connection}"
    if answer.status in _WITHOUT_BODY:
        return f"{head}\r\n".encode("latin-1")
    return f"{head}Content-Length: {len(answer.body)}\r\n\r\n".encode("latin-1") + answer.body
