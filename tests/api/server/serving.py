"""A real server on loopback: starts it, sends it raw bytes, and stops it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from lootkeep import wiring
from lootkeep.domain.access import SCOPES
from lootkeep.services import access as access_service
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from tests.forked import Forked
from tests.ports import free_port
from tests.world import KEY, World

PROGRAMS = Path(sys.executable).parent
TIERS = "/api/external/v1/referrals/tiers"
BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
# Only a hang takes this long.
PATIENCE_SECONDS = 300
# A start takes longest of all on a busy machine.
START_SECONDS = 300
MEBIBYTE = 1024 * 1024


@dataclass
class RunningServer:
    """A server that answers."""

    process: subprocess.Popen[bytes]
    port: int
    token: str
    environment: dict[str, str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.url + path, headers={"Authorization": f"Bearer {self.token}"}, timeout=PATIENCE_SECONDS)

    def request(self, path: str = TIERS, method: str = "GET", *headers: str) -> bytes:
        """The head of a request in plain bytes."""
        lines = [f"{method} {path} HTTP/1.1", "Host: store", f"Authorization: Bearer {self.token}", *headers]
        return "\r\n".join([*lines, "", ""]).encode()

    def converse(self, *parts: bytes) -> list[httpx.Response]:
        """Sends bytes as they are, each part in a packet of its own, and reads until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_SECONDS) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for part in parts:
                connection.sendall(part)
            return list(responses(read_all(connection)))


def read_all(connection: socket.socket) -> bytes:
    received = b""
    try:
        while data := connection.recv(64 * 1024):
            received += data
    except ConnectionResetError:
        # The server closed while we were still sending; what it said before counts.
        pass
    return received


def responses(received: bytes) -> Iterator[httpx.Response]:
    while received:
        head, _, remainder = received.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = httpx.Headers([(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)])
        status = int(first.split()[1])
        length = int(headers.get("content-length", 0))
        received = remainder[length:]
        if status >= 200:
            yield httpx.Response(status, headers=headers, content=remainder[:length])


def environment(database: str, **settings: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LOOTKEEP_")}
    ours = {"LOOTKEEP_DATABASE_URL": database, "LOOTKEEP_SECRET_KEY": KEY, "LOOTKEEP_RATE_LIMIT_PER_MINUTE": "0"}
    return clean | ours | {"LOOTKEEP_AUTH_FAILURES_PER_MINUTE": "0", "LOOTKEEP_LOG_LEVEL": "warning"} | settings


def settings_of(variables: dict[str, str]) -> Settings:
    return Settings(
        _env_file=None,
        database_url=variables["LOOTKEEP_DATABASE_URL"],
        secret_key=SecretStr(variables["LOOTKEEP_SECRET_KEY"]),
    )


async def prepare(settings: Settings) -> str:
    """A migrated database, and a token for it."""
    engine = await wiring.open_database(settings)
    await migrations.upgrade(engine)
    await engine.close()
    async with wiring.opened(settings) as deps:
        secret, _ = await access_service.create_token(deps, name="test", scopes=list(SCOPES))
    return secret


async def stored_names(served: RunningServer) -> set[str]:
    """The tiers in the database of a server that was stopped."""
    engine = await wiring.open_database(settings_of(served.environment))
    world = World(engine)
    world.token = served.token
    names = {tier["name"] for tier in (await world.get("/referrals/tiers")).json()["data"]}
    await world.close()
    await engine.close()
    return names


def start(settings: dict[str, str], folder: Path, *words: str | Path, port: int | None = None) -> RunningServer:
    """Starts a server and waits until it is ready."""
    port = port or free_port()
    token = asyncio.run(prepare(settings_of(settings)))
    with (folder / "server.log").open("wb") as log:
        process = Forked[bytes](
            [*(str(word) for word in words), "--port", str(port)], env=settings, cwd=folder, stdout=log, stderr=log
        )
    served = RunningServer(process, port, token, settings)
    deadline = time.monotonic() + START_SECONDS
    while not is_ready(served):
        if process.poll() is not None or time.monotonic() > deadline:
            stop(served)
            pytest.fail(f"The server did not start:\n{(folder / 'server.log').read_text()}")
        time.sleep(0.05)
    return served


def is_ready(served: RunningServer) -> bool:
    try:
        return served.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def stop(served: RunningServer) -> int:
    if served.process.poll() is None:
        served.process.send_signal(signal.SIGTERM)
        try:
            served.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            served.process.kill()
    return served.process.wait()
