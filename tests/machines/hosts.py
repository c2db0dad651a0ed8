"""The machines of one store and what runs on each: real processes of real programs."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import asyncpg
import httpx

from lootkeep.settings import variable
from tests.machines.network import NETWORK, Network
from tests.programs import installed, postgres_folder, redis_server
from tests.rules.tree import ROOT
from tests.servers import SERVER_ENVIRONMENT, server_owner
from tests.world import KEY

HOSTS = ("client", "proxy", "pooler", "api1", "api2", "work1", "work2", "db1", "db2", "redis")
APIS = ("api1", "api2")
WORKERS = ("work1", "work2")
PROGRAM = Path(sys.executable).with_name("lootkeep")
DATABASE = "lootkeep"
# Longer than any start takes on a busy machine; it only matters when something is wrong.
START_SECONDS = 300.0
STOP_SECONDS = 60.0
NO_SETTINGS: Mapping[str, str] = {}
# Many and short: what counts is that every delivery arrives, however often its receiver could not be reached.
RETRY_DELAYS = ",".join(["1"] * 60)
POSTGRES_OPTIONS = {
    "listen_addresses": "*",
    "unix_socket_directories": "",
    "shared_buffers": "64MB",
    "wal_sender_timeout": "5s",
    "wal_receiver_timeout": "5s",
    "wal_retrieve_retry_interval": "500ms",
    "hot_standby_feedback": "on",
}
# From now on a commit is acknowledged when the replica has it on its disk, too.
SYNCHRONOUS = "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (db2)'"
IS_SYNCHRONOUS = "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'quorum'"


class Machines:
    """Starts, stops and kills what runs on the hosts; the caller is on the host `client`."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.network = network
        self.folder = folder
        self.primary = "db1"
        # Where the code of a newer version is; what is started from then on runs it.
        self.code: Path | None = None
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def url(self, host: str, port: int = 5432, database: str = DATABASE) -> str:
        return f"postgresql://postgres@{self.network.address(host)}:{port}/{database}"

    @property
    def base_url(self) -> str:
        return f"http://{self.network.address('proxy')}:8000"

    async def start(self) -> None:
        await self._start_databases()
        self.start_redis()
        self.start_pooler()
        await self.migrate()
        for host in (*APIS, *WORKERS):
            self.start_service(host)
        # Afterwards, or its first checks fail and it refuses requests until the next ones.
        await self.ready(*APIS)
        self._start_proxy()
        await self.ready("proxy")

    async def migrate(self) -> None:
        await self._run("client", str(PROGRAM), "migrate")

    def start_service(self, host: str, **settings: str) -> None:
        command = ("serve", "--host", "0.0.0.0") if host in APIS else ("worker",)
        self._spawn(host, str(PROGRAM), *command, settings=self.settings(**settings))

    async def stop_service(self, host: str) -> None:
        """Asks it to end, as a service manager does."""
        process = self._running.pop(host)
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait, STOP_SECONDS)

    def kill(self, host: str) -> None:
        self.network.kill(host)
        if process := self._running.pop(host, None):
            process.wait()

    def kill_all(self) -> None:
        for host in list(self._running):
            self.kill(host)

    async def ready(self, *hosts: str) -> None:
        """Waits until these hosts say that they can work."""
        async with httpx.AsyncClient(timeout=2) as client:
            for host in hosts:
                is_ready = partial(_is_ready, client, self.network.address(host))
                await self.until(is_ready, f"{host} is not ready")

    async def until(self, is_true: Callable[[], Awaitable[bool]], complaint: str) -> None:
        try:
            async with asyncio.timeout(START_SECONDS):
                while not await is_true():
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise AssertionError(f"{complaint}:\n{self.logs()}") from None

    async def promote(self) -> None:
        """The documented failover: the replica becomes the primary, and the pooler is pointed to it."""
        connection = await asyncpg.connect(self.url("db2"), timeout=START_SECONDS)
        await connection.fetchval("SELECT pg_promote()")
        await connection.close()
        self.primary = "db2"
        self._write_pooler()
        self._running["pooler"].send_signal(signal.SIGHUP)

    def settings(self, **changed: str) -> dict[str, str]:
        hosts = ",".join(f"{self.network.address(host)}:5432" for host in ("db1", "db2"))
        return {
            "database_url": self.url("pooler", 6432),
            "database_pooler": "transaction",
            "database_direct_url": f"postgresql://postgres@{hosts}/{DATABASE}?target_session_attrs=read-write",
            "read_database_url": self.url("db2"),
            "redis_url": f"redis://{self.network.address('redis')}:6379/0",
            "secret_key": KEY,
            "webhook_allow_insecure": "true",
            "webhook_allowed_networks": f"{NETWORK}.0/24",
            "webhook_retry_delays": RETRY_DELAYS,
            "log_level": "warning",
        } | changed

    def logs(self) -> str:
        files = sorted(self.folder.glob("*.log"))
        return "\n".join(f"--- {file.name}\n{file.read_text(errors='replace')[-1500:]}" for file in files)

    async def _start_databases(self) -> None:
        programs, data = postgres_folder(), self._data("db1")
        initdb = (str(programs / "initdb"), "-D", str(data), "--username=postgres", "--auth=trust", "--no-sync")
        await self._run("db1", *_as_owner(*initdb, "--locale=C.UTF-8", "--encoding=UTF8"))
        with (data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all,replication all {NETWORK}.0/24 trust\n")
        self.start_database("db1")
        await self.until(lambda: _answers(self.url("db1", database="postgres")), "db1 did not start")
        await self._run("db1", str(programs / "createdb"), "--host=127.0.0.1", "--username=postgres", DATABASE)
        source = f"--dbname=host={self.network.address('db1')} user=postgres application_name=db2"
        copy = (str(programs / "pg_basebackup"), f"--pgdata={self._data('db2')}", source)
        await self._run("db2", *_as_owner(*copy, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"))
        self.start_database("db2")
        await self.until(lambda: _answers(self.url("db2")), "db2 did not start")
        connection = await asyncpg.connect(self.url("db1"))
        await connection.execute(SYNCHRONOUS)
        await connection.execute("SELECT pg_reload_conf()")
        await self.until(lambda: connection.fetchval(IS_SYNCHRONOUS), "db2 does not follow db1")
        await connection.close()

    def start_database(self, host: str) -> None:
        given = [f"--{name}={value}" for name, value in POSTGRES_OPTIONS.items()]
        self._spawn(host, *_as_owner(str(postgres_folder() / "postgres"), "-D", str(self._data(host)), *given))

    def start_redis(self) -> None:
        self._spawn("redis", redis_server(), "--bind", "*", "--protected-mode", "no", "--save", "")

    def start_pooler(self) -> None:
        self._write_pooler()
        self._spawn("pooler", *_as_owner(installed("pgbouncer"), str(self.folder / "pgbouncer.ini")))

    def _write_pooler(self) -> None:
        """The file of deploy/, without passwords."""
        text = (ROOT / "deploy/pgbouncer.ini").read_text()
        text = text.replace("host=10.0.0.31", f"user=postgres host={self.network.address(self.primary)}")
        text = text.replace("auth_type = scram-sha-256", "auth_type = any\nunix_socket_dir =")
        text = text.replace("auth_file = /etc/pgbouncer/userlist.txt\n", "")
        (self.folder / "pgbouncer.ini").write_text(text)

    def _start_proxy(self) -> None:
        text = (ROOT / "deploy/haproxy.cfg").read_text()
        for host, address in (("api1", "10.0.0.11"), ("api2", "10.0.0.12")):
            text = text.replace(address, self.network.address(host))
        (self.folder / "haproxy.cfg").write_text(text)
        self._spawn("proxy", installed("haproxy"), "-db", "-f", str(self.folder / "haproxy.cfg"))

    def _data(self, host: str) -> Path:
        folder = self.folder / host
        if not folder.exists():
            folder.mkdir(mode=0o700)
            if owner := server_owner():
                os.chown(folder, owner.pw_uid, owner.pw_gid)
        return folder

    def _spawn(self, host: str, *command: str, settings: Mapping[str, str] = NO_SETTINGS) -> None:
        self._running[host] = self._popen(host, command, settings)

    def _popen(self, host: str, command: Sequence[str], settings: Mapping[str, str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{host}.log").open("ab") as log:
            return subprocess.Popen(
                self.network.command(host, *command),
                cwd=self.folder,
                env=self._environment(settings),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        code = {"PYTHONPATH": str(self.code)} if self.code else {}
        return SERVER_ENVIRONMENT | code | {variable(name): value for name, value in settings.items()}

    async def _run(self, host: str, *command: str) -> None:
        process = self._popen(host, command, self.settings() if command[0] == str(PROGRAM) else NO_SETTINGS)
        code = await asyncio.to_thread(process.wait)
        assert code == 0, f"{command[0]} failed:\n{self.logs()}"


def _as_owner(*command: str) -> tuple[str, ...]:
    """PostgreSQL and PgBouncer refuse to be root."""
    owner = server_owner()
    setpriv = shutil.which("setpriv") or "setpriv"
    return (
        (setpriv, f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups", *command)
        if owner
        else command
    )


async def _answers(url: str) -> bool:
    try:
        connection = await asyncpg.connect(url, timeout=2)
    except (OSError, asyncpg.PostgresError, TimeoutError):
        return False
    await connection.close()
    return True


async def _is_ready(client: httpx.AsyncClient, ip: str) -> bool:
    try:
        return (await client.get(f"http://{ip}:8000/readyz")).status_code == 200
    except httpx.HTTPError:
        return False
