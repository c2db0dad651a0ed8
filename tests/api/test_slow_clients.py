"""Slow clients on real sockets: a client that holds a connection without a request is disconnected."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from lootkeep.api.http.server import Protocol
from tests.conftest import only_sqlite
from tests.world import World

# Only a hang takes this long.
PATIENCE_SECONDS = 300
# Time enough to answer a request, or to send the beginning of another, on a busy machine.
UNHURRIED = 2.0
TIMED_OUT = {
    "success": False,
    "error": "Request Timeout",
    "code": "request_timeout",
    "message": "The request did not arrive in time. Please send it again.",
}
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: store\r\n\r\n"

Converse = Callable[..., Coroutine[Any, Any, bytes]]


def listening(app: Any, arrival_seconds: float = 0.2) -> Converse:
    """A way to send a server some parts, each after the answer to the one before, and to read to its end."""
    config = Config(app, http=Protocol, lifespan="off", log_config=None)
    config.load()
    state = ServerState()

    def serve() -> Protocol:
        protocol = Protocol(config, state, {})
        protocol.arrival_seconds = arrival_seconds
        return protocol

    async def converse(*parts: bytes) -> bytes:
        listener = socket.create_server(("127.0.0.1", 0))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        # The first part is there before the time for it begins: a busy machine cannot be late with it.
        writer.write(b"".join(parts[:1]))
        server = await asyncio.get_running_loop().create_server(serve, sock=listener)
        received = b""
        for part in parts[1:]:
            received += await reader.readuntil(b"}}")
            writer.write(part)
        async with asyncio.timeout(PATIENCE_SECONDS):
            received += await reader.read()
        writer.close()
        server.close()
        return received

    return converse


def creation(path: str, token: str) -> bytes:
    """The head of a request, and nine bytes of a body with ten."""
    lines = (f"POST {path} HTTP/1.1", "Host: store", f"Authorization: Bearer {token}", "Content-Type: application/json")
    return "\r\n".join((*lines, "Content-Length: 10", "", '{"name": ')).encode()


@pytest.mark.parametrize("part", ["a letter", "all but the end of the head", "all but the end of the body"])
async def test_a_request_that_does_not_arrive_in_time_is_answered_and_disconnected(world: World, part: str) -> None:
    parts = {
        "a letter": b"G",
        "all but the end of the head": WHOLE[:-2],
        "all but the end of the body": creation("/api/external/v1/referrals/tiers", world.token),
    }
    head, _, body = (await listening(world.app)(parts[part])).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert json.loads(body) == TIMED_OUT


@only_sqlite
async def test_a_client_answered_before_its_body_arrived_is_disconnected_without_a_second_answer(world: World) -> None:
    received = await listening(world.app, UNHURRIED)(creation("/nowhere", world.token))
    assert received.count(b"HTTP/1.1") == 1
    assert received.startswith(b"HTTP/1.1 404 Not Found\r\n")


async def test_a_silent_connection_is_closed_silently(world: World) -> None:
    assert await listening(world.app)() == b""


@only_sqlite
async def test_the_second_request_of_a_connection_must_arrive_in_time_too(world: World) -> None:
    received = await listening(world.app, UNHURRIED)(WHOLE, WHOLE[:9])
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\n\r\n" + json.dumps(TIMED_OUT, separators=(",", ":")).encode() in received


async def test_a_request_that_has_arrived_may_take_its_time_to_be_answered() -> None:
    has_arrived, may_go_on = asyncio.Event(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        has_arrived.set()
        await may_go_on.wait()
        headers = [(b"connection", b"close"), (b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"done"})

    converse = listening(app)
    task = asyncio.create_task(converse(WHOLE))
    await has_arrived.wait()
    # This one begins later and is given up on, so the time of the first would be over, too.
    assert await converse() == b""
    may_go_on.set()
    assert (await task).endswith(b"done")
