"""The only HTTP client: HTTP/1.1 with keep-alive, for many small requests that must be cheap."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from aiohappyeyeballs import start_connection
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from lootkeep.engines import system_tls
from lootkeep.engines.proxies import Proxy, open_tunnel
from lootkeep.engines.resolver import Resolver

# A connection that was idle for this long is closed.
_KEPT_SECONDS = 15.0
# If the first address of a host has not responded by then, the next one is tried in parallel.
_NEXT_ADDRESS_SECONDS = 0.25
_MAX_HEAD = 32 * 1024
# In chunks of one byte each, a byte of body takes this many bytes. Beyond that nothing is parsed: trailers and chunk
# extensions have no limit, and the parser collects them.
_CHUNK_BYTES = 6


class NotHttp(Exception):
    """The response is not HTTP."""


class ConnectionClosed(Exception):
    """The connection ended before the response was complete."""


class Target(NamedTuple):
    """The target of a URL, and the start of every request to it."""

    is_secure: bool
    host: str
    port: int
    head: bytes


@lru_cache(maxsize=1024)
def target(url: str, fixed_headers: str, method: str = "POST") -> Target:
    """ValueError if it is not a URL of a receiver."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not an address of a receiver")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("not a URL")
    if parts.hostname.replace(".", "").isdigit():
        # Only the ordinary notation of an IP address is accepted. Resolvers would read others, some as octal.
        ipaddress.IPv4Address(parts.hostname)
    is_secure = parts.scheme == "https"
    usual = 443 if is_secure else 80
    port = parts.port or usual
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    authority = host if port == usual else f"{host}:{port}"
    head = f"{method} {path} HTTP/1.1\r\nHost: {authority}\r\n{fixed_headers}"
    return Target(is_secure, parts.hostname, port, head.encode())


class Response(NamedTuple):
    """A response as far as it was read; header names are in lower case."""

    code: int
    headers: dict[bytes, bytes]
    beginning: bytes


def open_socket(info: Any) -> socket.socket:
    """For any IP address; deliveries use a guard instead."""
    family, kind, protocol, *_ = info
    return socket.socket(family, kind, protocol)


class Client:
    """Connections to servers; `make_socket` creates the socket for every address that is connected to."""

    def __init__(
        self,
        resolver: Resolver,
        make_socket: Callable[[Any], socket.socket],
        max_read: int,
        kept_seconds: float = _KEPT_SECONDS,
        proxy_for: Callable[[str], Proxy | None] = lambda _host: None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._resolver = resolver
        self._tls = tls
        self._keep_alive_seconds = kept_seconds
        self._proxy_for = proxy_for
        self._make_socket = make_socket
        self._max_read = max_read
        self._idle: defaultdict[tuple[bool, str, int], list[_ClientConnection]] = defaultdict(list)
        self._sweeping: asyncio.TimerHandle | None = None

    async def request(self, to: Target, header_lines: bytes = b"", body: bytes = b"") -> Response:
        """The response, or OSError, NotHttp or ConnectionClosed; the caller sets the deadline."""
        idle = self._idle[to.is_secure, to.host, to.port]
        connection = _sound_one(idle) or await self._dial(to)
        try:
            answer = await connection.exchange(
                b"%b%bContent-Length: %d\r\n\r\n%b" % (to.head, header_lines, len(body), body)
            )
        except BaseException:
            connection.abort()
            raise
        if connection.is_reusable:
            connection.idle_in = idle
            idle.append(connection)
            self._sweep_later()
        else:
            connection.abort()
        return answer

    async def certificate(self, to: Target) -> dict[str, Any]:
        """Connects and disconnects; returns the certificate, empty without TLS."""
        connection = await self._dial(to)
        connection.abort()
        return connection.certificate

    async def close(self) -> None:
        if self._sweeping:
            self._sweeping.cancel()
        for connection in [open_connection for idle in self._idle.values() for open_connection in idle]:
            connection.abort()

    async def _dial(self, to: Target) -> _ClientConnection:
        loop = asyncio.get_running_loop()
        proxy = self._proxy_for(to.host) if to.is_secure else None
        addresses = await self._resolver.resolve(*((proxy.host, proxy.port) if proxy else (to.host, to.port)))
        sock = await start_connection(
            addresses, happy_eyeballs_delay=_NEXT_ADDRESS_SECONDS, interleave=1, socket_factory=self._make_socket
        )
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if proxy:
                await open_tunnel(sock, proxy, to.host, to.port)
            tls = (self._tls or system_tls.context()) if to.is_secure else None
            name = to.host.rstrip(".") if tls else None
            _, connection = await loop.create_connection(
                lambda: _ClientConnection(self._max_read), sock=sock, ssl=tls, server_hostname=name
            )
        except BaseException:
            sock.close()
            raise
        return connection

    def _sweep_later(self) -> None:
        if self._sweeping is None:
            self._sweeping = asyncio.get_running_loop().call_later(self._keep_alive_seconds, self._sweep)

    def _sweep(self) -> None:
        """Closes connections that were already idle at the last sweep."""
        self._sweeping = None
        connections = [open_connection for idle in self._idle.values() for open_connection in idle]
        for connection in connections:
            if connection.was_idle:
                connection.abort()
            connection.was_idle = True
        if connections:
            self._sweep_later()


def _sound_one(idle: list[_ClientConnection]) -> _ClientConnection | None:
    """The connection used last: the others may expire."""
    while idle:
        connection = idle.pop()
        if connection.is_open:
            return connection
    return None


class _ClientConnection(asyncio.Protocol):
    """One connection: it sends a request, reads its response, and is then reused."""

    def __init__(self, max_read: int) -> None:
        self._max_read = max_read
        self._max_bytes = _MAX_HEAD + _CHUNK_BYTES * max_read
        self._answer: asyncio.Future[Response] | None = None
        self.is_reusable = False
        self._reset()
        # The list of idle connections it is in, and whether it has been idle since the last sweep.
        self.idle_in: list[_ClientConnection] = []
        self.was_idle = False

    @property
    def is_open(self) -> bool:
        return not self._transport.is_closing()

    async def exchange(self, request: bytes) -> Response:
        self._answer = asyncio.get_running_loop().create_future()
        self.is_reusable = self.was_idle = False
        self._parser = HttpResponseParser(self)
        # Sloppy but harmless formats that receivers use.
        self._parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True, lenient_spaces_after_chunk_size=True)
        self._head_bytes = self._received_bytes = 0
        self._reset()
        self._transport.write(request)
        return await self._answer

    def abort(self) -> None:
        if self in self.idle_in:
            self.idle_in.remove(self)
        self._transport.abort()

    # Called by the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.certificate: dict[str, Any] = transport.get_extra_info("peercert") or {}

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.done():
            # There was no request.
            self.is_reusable = False
            self.abort()
            return
        room = self._max_bytes - self._received_bytes
        self._received_bytes += len(data)
        try:
            self._parser.feed_data(data[:room])
        except HttpParserUpgrade:
            self._finish(is_reusable=False)
            self.is_reusable = False
        except HttpParserError:
            self._fail(NotHttp())
            self.is_reusable = False
        if not self._has_head and self._received_bytes > _MAX_HEAD:
            # The parser reports a header only when it ends, so an endless one is not seen.
            self._fail(NotHttp())
        elif self._received_bytes > self._max_bytes:
            self._finish(is_reusable=False)
            self.is_reusable = False

    def connection_lost(self, error: Exception | None) -> None:
        self.is_reusable = False
        if self in self.idle_in:
            self.idle_in.remove(self)
        has_end = b"content-length" in self._headers or b"transfer-encoding" in self._headers
        if error is None and self._has_head and not has_end:
            self._finish(is_reusable=False)
        self._fail(ConnectionClosed())

    # Called by the parser.

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._has_head:
            # A trailer: the response is judged by its headers.
            return
        self._head_bytes += len(name) + len(value)
        if self._head_bytes > _MAX_HEAD:
            raise NotHttp
        self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        self._code = self._parser.get_status_code()
        # The other codes below 200 only announce the final response.
        self._has_head = self._code >= 200 or self._code == 101

    def on_body(self, body: bytes) -> None:
        self._beginning += body
        if len(self._beginning) >= self._max_read:
            self._finish(is_reusable=False)

    def on_message_complete(self) -> None:
        if self._has_head:
            self._finish(is_reusable=self._parser.should_keep_alive())
        else:
            self._reset()

    def on_message_begin(self) -> None:
        # A second response to one request is an error.
        self.is_reusable = False

    def _reset(self) -> None:
        self._code = 0
        self._headers: dict[bytes, bytes] = {}
        self._beginning = bytearray()
        self._has_head = False

    def _finish(self, *, is_reusable: bool) -> None:
        if self._answer is not None and not self._answer.done():
            self.is_reusable = is_reusable
            beginning = bytes(self._beginning[: self._max_read])
            self._answer.set_result(Response(self._code, self._headers, beginning))

    def _fail(self, error: Exception) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
