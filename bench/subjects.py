"""Starts what is measured, every server with a database of its own, all on one core or on two; reads the CPU time."""

import http.client
import json
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from tests import servers

ROOT = Path(__file__).parent.parent
LOOTKEEP = str(ROOT / ".venv/bin/lootkeep")
PEER = [str(ROOT / ".venv-bench/bin/python"), "-m", "bench.peers.fastapi_orm"]
TIERS = "/api/external/v1/referrals/tiers"
# Never reached: the limiter counts every request but refuses none.
RATE_LIMIT = "1000000000"
# A busy machine takes its time.
READY_SECONDS = 180.0
SERVER_CORE, *LOAD_CORES = sorted(os.sched_getaffinity(0))
ALL_CORES = [SERVER_CORE, *LOAD_CORES]
# For what shares the machine with everyone.
ON_ALL_CORES = ["taskset", "-c", ",".join(map(str, ALL_CORES))]
# Where a database server runs that has a core of its own.
DATABASE_CORE = LOAD_CORES[0] if LOAD_CORES else SERVER_CORE
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class SubjectDatabase:
    """Where it is, and the process above all others of its server (None: it runs inside the subject)."""

    url: str
    postmaster: int | None

    async def analyze(self) -> None:
        """Collects statistics, as autovacuum does every minute: a plan for a table of ten rows suits no store."""
        if self.postmaster is None:
            return
        connection = await asyncpg.connect(self.url)
        await connection.execute("ANALYZE")
        await connection.close()


@dataclass(frozen=True)
class Subject:
    """A running server that can be measured."""

    name: str
    pid: int
    port: int
    token: str

    def call(self, method: str, body: object = None, path: str = TIERS) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if response.status not in (200, 201):
            raise SystemExit(f"{self.name} answered {response.status} to {method} {path}: {answer!r}")
        is_json = response.headers.get_content_type() == "application/json"
        return json.loads(answer) if is_json else answer


@contextmanager
def lootkeep(database_url: str, more: Mapping[str, str] | None = None) -> Iterator[Subject]:
    port = free_port()
    settings = {
        "LOOTKEEP_DATABASE_URL": database_url,
        "LOOTKEEP_PORT": str(port),
        "LOOTKEEP_SECRET_KEY": secrets.token_urlsafe(32),
        "LOOTKEEP_RATE_LIMIT_PER_MINUTE": RATE_LIMIT,
        "LOOTKEEP_LOG_LEVEL": "error",
    } | dict(more or {})
    run_command([LOOTKEEP, "migrate"], settings)
    create = [LOOTKEEP, "token", "create", "--name", "bench", "--all-scopes", "--quiet"]
    token = run_command(create, settings).strip()
    with server([LOOTKEEP, "serve"], settings) as process:
        yield ready(Subject("Lootkeep", process.pid, port, token), process)


@contextmanager
def peer(database_url: str) -> Iterator[Subject]:
    port, token = free_port(), secrets.token_urlsafe(32)
    settings = {
        "PEER_DATABASE_URL": database_url,
        "PEER_PORT": str(port),
        "PEER_TOKEN": token,
        "PEER_RATE_LIMIT": RATE_LIMIT,
    }
    with server(PEER, settings) as process:
        yield ready(Subject("FastAPI + ORM", process.pid, port, token), process)


@asynccontextmanager
async def database(engine: str, *cores: int) -> AsyncIterator[SubjectDatabase]:
    """A fresh database that is gone afterwards, on PostgreSQL with a server of its own: its CPU is its subject's.

    Without cores the server shares that of the service.
    """
    if engine == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield SubjectDatabase(f"sqlite:///{folder}/bench.db", None)
        return
    pinned = ",".join(map(str, cores or [SERVER_CORE]))
    with servers.postgres(servers.POSTGRES_OPTIONS, ["taskset", "-c", pinned]) as url:
        connection = await asyncpg.connect(url)
        postmaster = parent_of(await connection.fetchval("SELECT pg_backend_pid()"))
        await connection.close()
        yield SubjectDatabase(url, postmaster)


@contextmanager
def server(command: list[str], settings: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    # In a folder of its own, so that no .env file of the developer's takes part.
    with tempfile.TemporaryDirectory() as folder:
        pinned = ["taskset", "-c", str(SERVER_CORE), *command]
        process = subprocess.Popen(pinned, cwd=folder, env=environment(settings), stdout=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def ready(subject: Subject, process: subprocess.Popen[bytes], path: str = TIERS) -> Subject:
    """When it answers this path."""
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            subject.call("GET", path=path)
            return subject
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)
    raise SystemExit(f"{subject.name} did not come up within {READY_SECONDS:.0f} seconds; see its words above.")


def run_command(command: list[str], settings: dict[str, str]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(command, cwd=folder, env=environment(settings), stdout=subprocess.PIPE, text=True)
        output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed; see its words above.")
    return output


def environment(settings: dict[str, str]) -> dict[str, str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("LOOTKEEP_")}
    return inherited | {"PYTHONPATH": str(ROOT)} | settings


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_seconds(root: int | None) -> float:
    """User and system time of a process and of all below it, also of those that have ended."""
    if root is None:
        return 0.0
    stats = {int(path.parent.name): stat for path in Path("/proc").glob("[0-9]*/stat") if (stat := fields(path))}
    family = [root]
    for pid in family:
        family += [child for child, stat in stats.items() if int(stat[1]) == pid]
    return sum(own_seconds(pid) + ended_seconds(stats[pid]) for pid in family if pid in stats)


def own_seconds(pid: int) -> float:
    """To the nanosecond, by the CPU clock of that process: utime and stime count in steps of 10 ms."""
    try:
        # This is how Linux numbers the clock; see clock_getcpuclockid(3).
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return 0.0


def ended_seconds(stat: list[str]) -> float:
    """cutime and cstime: of the children that have ended and were waited for."""
    return (int(stat[13]) + int(stat[14])) / TICKS_PER_SECOND


def parent_of(pid: int) -> int:
    return int(fields(Path(f"/proc/{pid}/stat"))[1])


def fields(path: Path) -> list[str]:
    """What follows the command's name, which may itself hold blanks and brackets: state, parent, ..."""
    try:
        return path.read_text().rpartition(")")[2].split()
    except OSError:
        return []
