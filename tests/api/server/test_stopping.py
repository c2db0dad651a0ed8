"""A server that stops under load finishes every request it has started."""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
from pathlib import Path

import httpx

from tests.api.server.serving import (
    BRONZE,
    PATIENCE_SECONDS,
    PROGRAMS,
    TIERS,
    RunningServer,
    start,
    stop,
    stored_names,
)
from tests.api.server.uploads import Upload


class Load:
    """Clients that create tiers, each on a connection of its own, until nobody listens any more."""

    def __init__(self, served: RunningServer) -> None:
        self._served = served
        self.answered: list[tuple[str, int]] = []
        self.broken: list[str] = []
        self.is_going = asyncio.Event()

    async def run(self, client: int) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)
        headers = {"Authorization": f"Bearer {self._served.token}"}
        async with httpx.AsyncClient(limits=limits, timeout=PATIENCE_SECONDS, headers=headers) as http:
            for number in itertools.count():
                name = f"load {client} {number}"
                try:
                    answer = await http.post(self._served.url + TIERS, json=BRONZE | {"name": name})
                except (httpx.ConnectError, httpx.ReadError):
                    # Refused, or reset while still waiting to be accepted: the request was never begun.
                    return
                except httpx.TransportError as error:
                    self.broken.append(repr(error))
                    return
                self.answered.append((name, answer.status_code))
                if len(self.answered) == 100:
                    self.is_going.set()


async def stop_under_load(served: RunningServer, load: Load) -> Load:
    clients = [asyncio.create_task(load.run(number)) for number in range(8)]
    await asyncio.wait_for(load.is_going.wait(), PATIENCE_SECONDS)
    served.process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(asyncio.gather(*clients), PATIENCE_SECONDS)
    return load


def test_sigterm_under_load_fails_no_request_and_loses_nothing(database: dict[str, str], tmp_path: Path) -> None:
    served = start(database, tmp_path, PROGRAMS / "lootkeep", "serve")
    uploads = [Upload(served, f"under way {number}") for number in range(20)]
    load = asyncio.run(stop_under_load(served, Load(served)))
    # All at once: a server that stops does not wait for long.
    for upload in uploads:
        upload.send_rest()
    finished = [upload.finish().status_code for upload in uploads]
    code = stop(served)
    assert finished == [201] * 20
    assert (load.broken, {status for _, status in load.answered}) == ([], {201})
    acknowledged = {name for name, _ in load.answered} | {f"under way {number}" for number in range(20)}
    assert acknowledged - asyncio.run(stored_names(served)) == set()
    assert code in (0, -signal.SIGTERM)
    assert "Traceback" not in (tmp_path / "server.log").read_text()


class KeepAliveLoad(Load):
    """Clients that create tiers one after the other, each on one connection until the server closes it."""

    async def run(self, client: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._served.port)
        for number in itertools.count():
            name = f"reused {client} {number}"
            body = json.dumps(BRONZE | {"name": name}).encode()
            headers = ("Content-Type: application/json", f"Content-Length: {len(body)}")
            try:
                writer.write(self._served.request(TIERS, "POST", *headers) + body)
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
            except (OSError, EOFError) as error:
                self.broken.append(repr(error))
                break
            self.answered.append((name, int(head[9:12])))
            if len(self.answered) == 100:
                self.is_going.set()
            if "connection: close" in head:
                break
        writer.close()


def test_sigterm_drops_no_request_on_a_keep_alive_connection(database: dict[str, str], tmp_path: Path) -> None:
    # One process is all that an embedded database has.
    workers = "1" if database["LOOTKEEP_DATABASE_URL"].startswith("sqlite") else "2"
    served = start(database, tmp_path, PROGRAMS / "lootkeep", "serve", "--workers", workers)
    load = asyncio.run(stop_under_load(served, KeepAliveLoad(served)))
    assert stop(served) == -signal.SIGTERM
    assert (load.broken, {status for _, status in load.answered}) == ([], {201})
    assert {name for name, _ in load.answered} - asyncio.run(stored_names(served)) == set()
    assert "Traceback" not in (tmp_path / "server.log").read_text()
