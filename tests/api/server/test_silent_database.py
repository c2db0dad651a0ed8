"""A server whose PostgreSQL is silent: it ends in time and answers the requests it has started."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.server.serving import BRONZE, PROGRAMS, TIERS, RunningServer, start, stop
from tests.gate import Gate

# The server has 15 seconds; the rest is for a busy machine. Without an end in time it would wait for good.
DEADLINE_SECONDS = 60


@pytest.fixture
async def gate(postgres_settings: dict[str, str]) -> AsyncIterator[Gate]:
    gate = Gate(postgres_settings["LOOTKEEP_DATABASE_URL"])
    await gate.open()
    yield gate
    await gate.shut()


async def test_sigterm_ends_a_server_while_nothing_arrives_at_postgresql_or_from_it(
    postgres_settings: dict[str, str], gate: Gate, tmp_path: Path
) -> None:
    settings = postgres_settings | {"LOOTKEEP_DATABASE_URL": gate.url}
    served = await asyncio.to_thread(start, settings, tmp_path, PROGRAMS / "lootkeep", "serve")
    try:
        # The server asks for the bodies: it is at work on these requests.
        uploads = [await begin(served) for _ in range(4)]
        gate.is_silent = True
        answers = [asyncio.create_task(finish(*upload)) for upload in uploads]
        served.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(DEADLINE_SECONDS):
            await asyncio.to_thread(served.process.wait)
            statuses = {(await answer)[:13] for answer in answers}
    finally:
        # Where the test failed, it is still there.
        served.process.kill()
        stop(served)
    assert statuses == {b"HTTP/1.1 503 "}
    assert "Traceback" not in (tmp_path / "server.log").read_text()


Upload = tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]


async def begin(served: RunningServer) -> Upload:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    body = json.dumps(BRONZE).encode()
    headers = ("Content-Type: application/json", f"Content-Length: {len(body)}", "Expect: 100-continue")
    writer.write(served.request(TIERS, "POST", *headers))
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
    return reader, writer, body


async def finish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes) -> bytes:
    writer.write(body)
    answer = await reader.read()
    writer.close()
    return answer
