"""Slow clients on real sockets: a client that holds a connection without a request is disconnected."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from lootkeep.api.http.server import Protocol
from tests.world import World

# Only a hang takes this long.
PATIENCE_SECONDS = 300
TIMED_OUT = {
    "success": False,
    "error": "Request Timeout",
    "code": "request_timeout",
    "message": "The request did not arrive in time. Please send it again.",
}
WHOLE = b"GET /healthz HTTP/1.1\r\nHost: store\r\n\r\n"

Converse = Callable[..., Coroutine[Any, Any, bytes]]


class ShortTimeoutServer(Protocol):
    """The real server with shorter time-outs."""

    arrival_seconds = 0.2


@asynccontextmanager
async def listening(app: Any) -> AsyncIterator[Converse]:
    """A server; gives a way to send it some parts, each after the answer to the one before, and read to its end."""
    config = Config(app, http=ShortTimeoutServer, lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: ShortTimeoutServer(config, state, {}), "127.0.0.1", 0)

    async def converse(*parts: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        received = b""
        for number, part in enumerate(parts):
            if number:
                received += await reader.readuntil(b"}}")
            writer.write(part)
        async with asyncio.timeout(PATIENCE_SECONDS):
            received += await reader.read()
        writer.close()
        return received

    try:
        yield converse
    finally:
        server.close()


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
    async with listening(world.app) as converse:
        head, _, body = (await converse(parts[part])).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert json.loads(body) == TIMED_OUT


async def test_a_client_answered_before_its_body_arrived_is_disconnected_without_a_second_answer(world: World) -> None:
    async with listening(world.app) as converse:
        received = await converse(creation("/nowhere", world.token))
    assert received.count(b"HTTP/1.1") == 1
    assert received.startswith(b"HTTP/1.1 404 Not Found\r\n")


async def test_a_silent_connection_is_closed_silently(world: World) -> None:
    async with listening(world.app) as converse:
        assert await converse() == b""


async def test_the_second_request_of_a_connection_must_arrive_in_time_too(world: World) -> None:
    async with listening(world.app) as converse:
        received = await converse(WHOLE, WHOLE[:9])
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

    async with listening(app) as converse:
        task = asyncio.create_task(converse(WHOLE))
        await has_arrived.wait()
        # This one begins later and is given up on, so the time of the first would be over, too.
        assert await converse() == b""
        may_go_on.set()
        assert (await task).endswith(b"done")
