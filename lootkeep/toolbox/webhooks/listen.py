"""The receiver behind `lootkeep webhooks listen`: it verifies, shows, forwards, and responds as requested."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

import msgspec

from lootkeep.domain import receiving as receiving_rules
from lootkeep.domain.deliveries import DEADLINE_SECONDS
from lootkeep.engines.http1 import Client, ConnectionClosed, NotHttp, open_socket, target
from lootkeep.engines.outbound import failure
from lootkeep.engines.resolver import Resolver
from lootkeep.kernel.clock import Clock, SystemClock
from lootkeep.kernel.errors import StartupError
from lootkeep.toolbox.webhooks.received import Arrival, ListenerResponse, Screen
from lootkeep.toolbox.webhooks.resume import Feed, ResumeFile
from lootkeep.toolbox.webhooks.server import Connections, ReceivedRequest

# The maximum size of a response from the forward URL or the store.
_MAX_ANSWER_BYTES = 16 * 1024 * 1024
# Longer than the sender waits, so the listener can report how late a response was.
_FORWARD_SECONDS = 6 * DEADLINE_SECONDS
# These headers concern one connection, not the message; Content-Length is computed again.
_HOP_BY_HOP = {
    *(b"host", b"connection", b"keep-alive", b"transfer-encoding", b"content-length", b"te", b"trailer", b"upgrade"),
    b"expect",
}
# How long current responses may take after Ctrl-C.
_DRAIN_SECONDS = 0.5


class ListenOptions(msgspec.Struct, frozen=True):
    """The options of the command."""

    secret: str | None = None
    forward: str | None = None
    fail: int | None = None
    slow: float = 0
    api: str | None = None
    token: str | None = None


class DeliveryTally(msgspec.Struct):
    """What arrived in total."""

    deliveries: int = 0
    refused: int = 0
    repeated: int = 0


class Listener:
    """Handles one request after another, each in its own task."""

    def __init__(self, plan: ListenOptions, memory: ResumeFile, screen: Screen, clock: Clock | None = None) -> None:
        self.tally = DeliveryTally()
        self._plan = plan
        self._memory = memory
        self._screen = screen
        self._clock = clock or SystemClock()
        self._stopping = asyncio.Event()
        self._client = Client(Resolver(), open_socket, _MAX_ANSWER_BYTES)

    async def run(self, listener: socket.socket, greet: Callable[[], None], say: Callable[[str], None]) -> None:
        """Prints missed events, then receives until it is interrupted; it is ready when it prints its greeting."""
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._stopping.set)
        greet()
        if self._plan.api and self._plan.token:
            feed = Feed(self._client, self._plan.api, self._plan.token, say)
            missed = await feed.catch_up(self._memory, self._screen.missed)
            say(f"{missed or 'No'} event{'s' if missed != 1 else ''} missed. Waiting for deliveries.")
        connections = Connections(self._receive)
        server = await asyncio.start_server(connections.serve, sock=listener)
        await self._stopping.wait()
        server.close()
        await connections.finish(_DRAIN_SECONDS)
        await self._client.close()

    async def _receive(self, request: ReceivedRequest) -> ListenerResponse:
        started = time.monotonic()
        arrival = self._look_at(request)
        try:
            self._screen.arrived(arrival)
            answer = await self._answer(request, arrival)
            await asyncio.sleep(self._plan.slow)
            self._screen.answered(arrival, answer, round((time.monotonic() - started) * 1000))
        except SystemExit:
            # rich raises this if nobody reads the output any more: `listen | head` has seen enough.
            self._stopping.set()
            return ListenerResponse(503, b"the listener ends")
        return answer

    def _look_at(self, request: ReceivedRequest) -> Arrival:
        now = self._clock.now()
        secret, body = self._plan.secret, request.body
        headers = {name.decode(): value.decode("utf-8", "surrogateescape") for name, value in request.headers}
        verdict = receiving_rules.verify(body, headers, secret, now) if secret else None
        parsed = _object(body)
        identity = {name: parsed.get(name) for name in ("id", "event_type")}
        delivery_id, event_type = (value if isinstance(value, str) else None for value in identity.values())
        times_seen = self._memory.times_seen(delivery_id) if delivery_id else 0
        is_believed = verdict is None or verdict.is_valid
        # A forged request must not look like a delivery that arrived.
        if delivery_id and is_believed:
            self._memory.remember(delivery_id, parsed)
        self.tally.deliveries += 1
        self.tally.refused += not is_believed
        self.tally.repeated += bool(times_seen)
        return Arrival(now, delivery_id, event_type, times_seen, verdict, body)

    async def _answer(self, request: ReceivedRequest, arrival: Arrival) -> ListenerResponse:
        """Forwarding comes first: with --fail the other receiver succeeds, but the sender sees a failure."""
        answer = await self._forward(request, self._plan.forward) if self._plan.forward else None
        if self._plan.fail:
            return ListenerResponse(self._plan.fail, b"failing as requested", "as requested by --fail")
        if answer:
            return answer
        if arrival.verdict and not arrival.verdict.is_valid:
            return ListenerResponse(401, arrival.verdict.words.encode())
        return ListenerResponse(200, b"received")

    async def _forward(self, request: ReceivedRequest, url: str) -> ListenerResponse:
        """Sends the same headers and bytes, and returns the response."""
        lines = [b"%b: %b\r\n" % header for header in request.headers if header[0].lower() not in _HOP_BY_HOP]
        try:
            async with asyncio.timeout(_FORWARD_SECONDS):
                answer = await self._client.request(target(url, ""), b"".join(lines), request.body)
        except TimeoutError:
            return ListenerResponse(504, b"the forward URL does not respond", "the forward URL does not respond")
        except (NotHttp, ConnectionClosed, OSError) as error:
            words = f"the forward URL cannot be reached: {failure(error)}"
            return ListenerResponse(502, words.encode(), words)
        content_type = answer.headers.get(b"content-type", b"application/octet-stream").decode("latin-1")
        return ListenerResponse(answer.code, answer.beginning, "by the forward URL", content_type)


def bind(port: int) -> socket.socket:
    """A socket on loopback that already listens, so nothing sent from now on is refused."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise StartupError(
                f"Port {port} is in use. Stop what listens there, or choose another with --port."
            ) from None
        raise StartupError(f"Port {port} cannot be used: {error.strerror}. Choose another with --port.") from None
    listener.listen()
    return listener


def _object(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
