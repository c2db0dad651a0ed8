"""`lootkeep worker` and a database that is not up yet."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator

import pytest

from tests.cli.terminal import KEY, SECONDS, Terminal
from tests.gate import Gate

WAITS = "Check LOOTKEEP_DATABASE_URL and that the server is running. The worker waits for it.\n"


@pytest.fixture
async def gate(postgres_url: str) -> AsyncIterator[Gate]:
    """It is shut at first; its port is known by then."""
    gate = Gate(postgres_url)
    await gate.open()
    await gate.shut()
    yield gate
    await gate.shut()


@pytest.fixture
async def worker(terminal: Terminal, gate: Gate) -> AsyncIterator[subprocess.Popen[str]]:
    with terminal.start("worker", database_url=gate.url, secret_key=KEY) as process:
        yield process
        process.kill()


async def test_a_worker_waits_for_postgresql_to_start(worker: subprocess.Popen[str], gate: Gate) -> None:
    waits = await next_line(worker)
    await gate.open()
    runs = await next_line(worker)
    worker.terminate()
    _, errors = await asyncio.to_thread(worker.communicate, timeout=SECONDS)
    assert waits.startswith("PostgreSQL cannot be reached: ")
    assert waits.endswith(WAITS)
    assert (runs, worker.returncode, "Traceback" in errors) == ("The worker is running. Ctrl-C stops it.\n", 0, False)


async def test_a_worker_that_waits_for_postgresql_can_be_stopped(worker: subprocess.Popen[str]) -> None:
    await next_line(worker)
    worker.terminate()
    output = await asyncio.to_thread(worker.communicate, timeout=SECONDS)
    assert (worker.returncode, output) == (0, ("", ""))


def test_a_worker_does_not_wait_for_a_database_that_does_not_exist(terminal: Terminal, postgres_url: str) -> None:
    url = postgres_url.rsplit("/", 1)[0] + "/nowhere"
    output = terminal.call("worker", database_url=url, secret_key=KEY)
    assert output.sentence.startswith('PostgreSQL cannot be reached: database "nowhere" does not exist')


def test_a_server_without_postgresql_reports_it_and_exits(terminal: Terminal) -> None:
    """A service manager starts it again; a port that is open but answers nothing would look like a server."""
    url = "postgresql://postgres@127.0.0.1:1/postgres"
    output = terminal.call("serve", "--port", "0", database_url=url, secret_key=KEY)
    assert output.sentence.startswith("PostgreSQL cannot be reached: ")


async def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    async with asyncio.timeout(SECONDS):
        return await asyncio.to_thread(process.stdout.readline)
