"""A keep-alive HTTP/1.1 load generator on plain asyncio: sends a fixed set of requests and times it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, cast

# A stuck server should end the run with a sentence, not hang it.
PATIENCE_SECONDS = 300.0
HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"


@dataclass(frozen=True)
class LoadResult:
    """What was sent, how long all of it took, and each answer; every answer had the expected status."""

    requests: int
    seconds: float
    milliseconds: list[float]


Send: TypeAlias = Callable[[Iterable[bytes]], Awaitable[LoadResult]]


class UnexpectedAnswer(Exception):
    """The server answered something else than the run is about, so its figures would mean nothing."""


async def run(port: int, requests: Iterable[bytes], expected_status: int, connections: int) -> LoadResult:
    """Send the requests over this many new connections, each with one request under way at a time."""
    async with connected(port, expected_status, connections) as send:
        return await send(requests)


@asynccontextmanager
async def connected(port: int, expected_status: int, connections: int) -> AsyncIterator[Send]:
    """The same over connections that are open already: opening them is on nobody's bill."""
    loop = asyncio.get_running_loop()
    opened = [
        await loop.create_connection(partial(_Client, expected_status), "127.0.0.1", port) for _ in range(connections)
    ]
    clients = [client for _, client in opened]

    async def send(requests: Iterable[bytes]) -> LoadResult:
        pending = iter(requests)
        started = time.perf_counter()
        for client in clients:
            client.begin(pending)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*(client.done for client in clients))
        waits = [wait for client in clients for wait in client.milliseconds]
        return LoadResult(len(waits), time.perf_counter() - started, waits)

    try:
        yield send
    finally:
        for client in clients:
            client.close()


def request(method: str, path: str, token: str, body: object = None, *headers: str) -> bytes:
    """The bytes of one request."""
    payload = b"" if body is None else json.dumps(body).encode()
    head = [
        f"{method} {path} HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {token}",
        "Accept: application/json",
        *headers,
    ]
    if body is not None:
        head += ["Content-Type: application/json", f"Content-Length: {len(payload)}"]
    return "\r\n".join(head).encode() + HEAD_END + payload


class _Client(asyncio.Protocol):
    """One connection: it sends the next request as soon as the answer before it is complete."""

    def __init__(self, expected_status: int) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.milliseconds: list[float] = []
        self._pending: Iterator[bytes] = iter(())
        self._status = str(expected_status).encode()
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head_end = self._buffer.find(HEAD_END)
        if self.done.done() or head_end < 0:
            return
        head = self._buffer[:head_end].lower()
        start = head.find(LENGTH)
        if start < 0 or head[9:12] != self._status:
            self._fail(f"expected {self._status.decode()} with a length, got {self._buffer[:500]!r}")
            return
        length = int(head[start + len(LENGTH) :].split(b"\r\n", 1)[0])
        if len(self._buffer) >= head_end + len(HEAD_END) + length:
            self._buffer = b""
            self.milliseconds.append((time.perf_counter() - self._sent) * 1000)
            self.send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self._fail(f"the server closed a connection after {len(self.milliseconds)} answers")

    def begin(self, pending: Iterator[bytes]) -> None:
        """Takes from what all connections share."""
        self._pending = pending
        self.send_next()

    def send_next(self) -> None:
        following = next(self._pending, None)
        if following is None:
            self.done.set_result(None)
        else:
            self._sent = time.perf_counter()
            self._transport.write(following)

    def close(self) -> None:
        if not self.done.done():
            self.done.cancel()
        self._transport.close()

    def _fail(self, reason: str) -> None:
        self.done.set_exception(UnexpectedAnswer(reason))
