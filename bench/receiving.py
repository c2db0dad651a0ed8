"""A receiver of webhooks that costs next to nothing: `python -m bench.receiving` serves, `receiver()` starts one.

It runs in a process of its own on a core that no subject uses, keeps connections alive, answers 200 to every POST
and only counts. A GET tells how many came and when the last one did.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import cast

import uvloop

PATIENCE_SECONDS = 900.0
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
HEAD_END = b"\r\n\r\n"
LENGTH = b"content-length:"


@dataclass(frozen=True)
class Arrivals:
    """How many requests have arrived and when the last one did, by the clock that all processes share."""

    count: int
    last: float


class Receiver:
    """The bench's end of a running receiver."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = HTTPConnection("127.0.0.1", port, timeout=10)

    def url(self, name: object) -> str:
        return f"http://127.0.0.1:{self._port}/hooks/{name}"

    def arrivals(self) -> Arrivals:
        self._connection.request("GET", "/")
        return Arrivals(*json.loads(self._connection.getresponse().read()))

    def wait_for(self, count: int, every: float = 0.05) -> Arrivals:
        """Returns when so many have arrived in all."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (arrivals := self.arrivals()).count < count:
            if time.monotonic() > deadline:
                raise SystemExit(f"{arrivals.count:,} of {count:,} requests came within {PATIENCE_SECONDS:.0f} seconds.")
            time.sleep(every)
        return arrivals


@contextmanager
def receiver(cores: list[int]) -> Iterator[Receiver]:
    pinned = ["taskset", "-c", ",".join(map(str, cores))] if cores else []
    process = subprocess.Popen([*pinned, sys.executable, "-m", "bench.receiving"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield Receiver(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


class _Count:
    count = 0
    last = 0.0


class _Protocol(asyncio.Protocol):
    """One connection: it only looks for the length, and for where a request ends."""

    def __init__(self, arrived: _Count) -> None:
        self._arrived = arrived
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(HEAD_END)) >= 0:
            head = self._buffer[:end].lower()
            if head.startswith(b"get"):
                self._buffer = b""
                self._tell()
                return
            length = int(head.partition(LENGTH)[2].partition(b"\r\n")[0])
            whole = end + len(HEAD_END) + length
            if len(self._buffer) < whole:
                return
            self._buffer = self._buffer[whole:]
            self._arrived.count += 1
            self._arrived.last = time.monotonic()
            self._transport.write(ANSWER)

    def _tell(self) -> None:
        text = json.dumps([self._arrived.count, self._arrived.last]).encode()
        self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))


async def _serve() -> None:
    arrived = _Count()
    server = await asyncio.get_running_loop().create_server(lambda: _Protocol(arrived), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_serve())
