"""Two servers behind HAProxy, with the file of deploy/, are restarted one after the other: no request fails."""

from __future__ import annotations

import asyncio
import itertools
import signal
from pathlib import Path

import httpx
import pytest

from tests.api.server.serving import (
    BRONZE,
    PATIENCE_SECONDS,
    PROGRAMS,
    START_SECONDS,
    TIERS,
    RunningServer,
    start,
    stop,
    stored_names,
)
from tests.api.server.uploads import Upload
from tests.proxies import LoadBalancer, haproxy

CLIENTS = 2
# Leaves the machine to the servers, which start next to the load.
PAUSE_SECONDS = 0.02


class Load:
    """Clients that create tiers through the proxy, each on one connection, until it is closed."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"}
        self.answered: dict[str, int] = {}
        self.is_open = True

    async def run(self, client: int) -> None:
        async with httpx.AsyncClient(timeout=PATIENCE_SECONDS, headers=self._headers) as http:
            for number in itertools.count():
                if not self.is_open:
                    return
                name = f"load {client} {number}"
                answer = await http.post(self._url + TIERS, json=BRONZE | {"name": name})
                self.answered[name] = answer.status_code
                await asyncio.sleep(PAUSE_SECONDS)


async def restart(
    servers: dict[str, RunningServer], name: str, proxied: RunningServer, proxy: LoadBalancer, folder: Path
) -> list[int]:
    """The statuses of requests that were in progress when it stopped, and were completed after HAProxy noticed."""
    uploads = [Upload(proxied, f"under way in {name} {number}") for number in range(4)]
    served = servers[name]
    served.process.send_signal(signal.SIGTERM)
    await proxy.until(name, "DOWN")
    # All at once: a server that stops does not wait for long.
    for upload in uploads:
        upload.send_rest()
    finished = [(await asyncio.to_thread(upload.finish)).status_code for upload in uploads]
    await asyncio.to_thread(stop, served)
    command = (PROGRAMS / "lootkeep", "serve")
    servers[name] = await asyncio.to_thread(start, served.environment, folder, *command, port=served.port)
    await proxy.until(name, "UP")
    return finished


async def restart_each(
    servers: dict[str, RunningServer], proxied: RunningServer, proxy: LoadBalancer, folder: Path
) -> tuple[Load, list[int]]:
    load = Load(proxied.url, proxied.token)
    clients = [asyncio.create_task(load.run(number)) for number in range(CLIENTS)]
    async with asyncio.timeout(3 * START_SECONDS):
        finished = [await restart(servers, name, proxied, proxy, folder) for name in list(servers)]
    load.is_open = False
    await asyncio.gather(*clients)
    return load, [status for statuses in finished for status in statuses]


@pytest.mark.timeout(600)
def test_a_rolling_restart_behind_haproxy_fails_no_request(postgres_settings: dict[str, str], tmp_path: Path) -> None:
    command = (PROGRAMS / "lootkeep", "serve")
    servers = {name: start(postgres_settings, tmp_path, *command) for name in ("api1", "api2")}
    first = servers["api1"]
    try:
        with haproxy(*(served.port for served in servers.values())) as proxy:
            proxied = RunningServer(first.process, proxy.port, first.token, postgres_settings)
            load, finished = asyncio.run(restart_each(servers, proxied, proxy, tmp_path))
    finally:
        for served in servers.values():
            stop(served)
    assert finished == [201] * 8
    assert set(load.answered.values()) == {201}
    assert set(load.answered) - asyncio.run(stored_names(first)) == set()
