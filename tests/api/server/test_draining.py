"""What a server that stops does with idle keep-alive connections, half a request, and requests that never end."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import text
from uvicorn import Config

from lootkeep.api.http.server import Protocol
from lootkeep.api.http.stopping import StoppingServer
from lootkeep.storage.engine.query import Query
from tests.api.server.serving import BRONZE, PATIENCE_SECONDS, TIERS
from tests.api.server.slow_clients import HEALTH, Patient, connected
from tests.world import World

LOCK = Query(text("LOCK TABLE referral_tiers"))
UNAVAILABLE = {
    "success": False,
    "error": "Service Unavailable",
    "code": "service_unavailable",
    "message": "The service is temporarily unavailable. Please try again shortly.",
}


class ShortTimeoutServer(Protocol):
    """The real server with shorter time-outs."""

    idle_seconds = 0.05
    rest_seconds = 0.05


def creation(world: World, *headers: str) -> tuple[bytes, bytes]:
    """Head and body."""
    body = json.dumps(BRONZE).encode()
    lines = (f"POST {TIERS} HTTP/1.1", "Host: store", f"Authorization: Bearer {world.token}", *headers)
    ending = ("Content-Type: application/json", f"Content-Length: {len(body)}", "", "")
    return "\r\n".join((*lines, *ending)).encode(), body


async def test_a_request_on_a_keep_alive_connection_is_answered_while_the_server_stops(world: World) -> None:
    head, body = creation(world)
    async with connected(world.app, Patient) as client:
        first = await client.ask(HEALTH)
        await client.reader.readuntil(b"}}")
        client.stop_server()
        second = await client.ask(head + body)
        assert b'"success":true' in await client.rest()
    assert (first[:13], b"connection: close" in first) == (b"HTTP/1.1 200 ", False)
    assert (second[:13], b"connection: close" in second) == (b"HTTP/1.1 201 ", True)


async def test_a_running_request_is_answered_and_its_connection_closed(world: World) -> None:
    head, body = creation(world, "Expect: 100-continue")
    async with connected(world.app, Patient) as client:
        assert (await client.ask(head)).startswith(b"HTTP/1.1 100 ")
        client.stop_server()
        answer = await client.ask(body)
        await client.rest()
    assert (answer[:13], b"connection: close" in answer) == (b"HTTP/1.1 201 ", True)


@pytest.mark.parametrize("before", [b"", HEALTH], ids=["new", "reused"])
async def test_an_idle_connection_is_closed_silently(world: World, before: bytes) -> None:
    async with connected(world.app, ShortTimeoutServer) as client:
        if before:
            await client.ask(before)
            await client.reader.readuntil(b"}}")
        client.stop_server()
        assert await client.rest() == b""


@pytest.mark.parametrize("part", ["head", "body"])
async def test_half_a_request_is_rejected_in_the_envelope_when_the_server_stops(world: World, part: str) -> None:
    head, body = creation(world, "Expect: 100-continue")
    async with connected(world.app, ShortTimeoutServer) as client:
        if part == "body":
            await client.ask(head)
            client.writer.write(body[:9])
        else:
            client.writer.write(head[:20])
            # What came later was answered, so the server has seen that half.
            reader, writer = await asyncio.open_connection(*client.writer.get_extra_info("peername"))
            writer.write(HEALTH)
            await reader.readuntil(b"}}")
            writer.close()
        client.stop_server()
        answered, _, content = (await client.rest()).partition(b"\r\n\r\n")
    assert answered.startswith(b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n")
    assert b"retry-after: 1" in answered
    assert json.loads(content) == UNAVAILABLE
    assert (await world.get("/referrals/tiers")).json()["data"] == []


@asynccontextmanager
async def stuck_database(world: World) -> AsyncIterator[None]:
    """Writes wait for as long as the block lasts."""
    async with world.db.write() as tx:
        if world.db.name == "postgresql":
            await tx.all(LOCK)
        yield


async def test_a_request_that_never_ends_is_rejected_in_the_envelope_when_the_time_is_over(world: World) -> None:
    has_begun = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        has_begun.set()
        await world.app(scope, receive, send)

    config = Config(app, http=Protocol, lifespan="off", log_config=None, port=0, timeout_graceful_shutdown=1)
    server = StoppingServer(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    reader, writer = await asyncio.open_connection(*server.servers[0].sockets[0].getsockname())
    async with stuck_database(world):
        writer.write(b"".join(creation(world)))
        await has_begun.wait()
        await server.shutdown()
        answer = await reader.read()
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert (json.loads(body), b"connection: close" in head) == (UNAVAILABLE, True)


def test_a_process_with_hanging_work_ends_anyway() -> None:
    program = "import time; from lootkeep.engines.process_end import end_in_time; end_in_time(0.1); time.sleep(3600)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=PATIENCE_SECONDS, check=False)
    assert (done.returncode, b"did not end in time" in done.stdout + done.stderr) == (1, True)
