"""More connections than a process may hold: the next one is refused, but a probe is still answered."""

from __future__ import annotations

import asyncio
import json

from tests.api.server.overload import OVERLOADED
from tests.api.server.serving import PATIENCE_SECONDS, TIERS
from tests.api.server.slow_clients import HEALTH, Connection, Patient, connected
from tests.world import World

LIST = f"GET {TIERS} HTTP/1.1\r\nHost: store\r\n\r\n".encode()


async def ask_on_new_connection(client: Connection, request: bytes) -> bytes:
    """Sends a request on a new connection and reads until the server closes it."""
    reader, writer = await asyncio.open_connection(*client.writer.get_extra_info("peername"))
    writer.write(request)
    async with asyncio.timeout(PATIENCE_SECONDS):
        answer = await reader.read()
    writer.close()
    return answer


async def test_a_connection_beyond_the_limit_is_refused_in_the_envelope_and_closed(world: World) -> None:
    async with connected(world.app, Patient, limit=1) as client:
        await client.ask(HEALTH)
        refused = await ask_on_new_connection(client, LIST)
        await client.reader.readuntil(b"}}")
        still_served = await client.ask(LIST)
    head, _, body = refused.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert (b"retry-after: 1" in head, b"connection: close" in head) == (True, True)
    assert json.loads(body) == OVERLOADED
    assert still_served.startswith(b"HTTP/1.1 401 ")


async def test_a_probe_is_answered_on_a_connection_beyond_the_limit(world: World) -> None:
    async with connected(world.app, Patient, limit=1) as client:
        await client.ask(HEALTH)
        assert (await ask_on_new_connection(client, HEALTH)).startswith(b"HTTP/1.1 200 ")


async def test_beyond_the_connections_reserved_for_probes_nothing_is_read(world: World) -> None:
    async with connected(world.app, Patient, limit=1) as client:
        connections = [await asyncio.open_connection(*client.writer.get_extra_info("peername")) for _ in range(32)]
        refused = await ask_on_new_connection(client, b"")
        for _, writer in connections:
            writer.close()
    assert refused.startswith(b"HTTP/1.1 503 ")
