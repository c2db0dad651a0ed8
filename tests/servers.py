"""Lends a private PostgreSQL and Redis to tests and benchmarks: `python -m tests.servers -- COMMAND`."""

import ctypes
import functools
import os
import pwd
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

from tests.ports import free_port
from tests.programs import PROGRAMS_OF_TESTS, CannotStart, installed, postgres_folder, redis_server, want

POSTGRES_URL = "LOOTKEEP_TEST_POSTGRES_URL"
REDIS_URL = "LOOTKEEP_TEST_REDIS_URL"

# Except on Linux, another process may take the free port before the server does: there is a second and a third try.
PORT_ATTEMPTS = 3
# Generous, because a loaded machine may take seconds; it only matters when something is wrong.
START_SECONDS = 300
STOP_SECONDS = 60

# The data is thrown away, so nothing waits for the disk; 200 connections suit several pytest workers, and the
# measurements fit into the buffers as they would on a server that was set up for them.
POSTGRES_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "2GB",
}
# Tests compare plans: an ANALYZE in the background keeps VACUUM from marking pages as visible to everyone, and the
# plan depends on the moment. Tests that need statistics collect them.
TEST_POSTGRES_OPTIONS = POSTGRES_OPTIONS | {"autovacuum": "off"}
REDIS_OPTIONS = {"bind": "127.0.0.1", "save": "", "appendonly": "no", "daemonize": "no"}

# Nothing of the caller's: a PGPORT or PGOPTIONS meant for another server would reach this one.
SERVER_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclass(frozen=True)
class Servers:
    postgres_url: str
    redis_url: str


def main(arguments: Sequence[str]) -> int:
    command = arguments[1:] if arguments[:1] == ["--"] else arguments
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    # Started in the background it would be ignored, here and in every program that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    is_testing = "pytest" in command
    try:
        if is_testing:
            for program, package in PROGRAMS_OF_TESTS.items():
                want(program, package)
        with running(TEST_POSTGRES_OPTIONS if is_testing else POSTGRES_OPTIONS) as servers:
            return _run(command, servers)
    except CannotStart as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


@contextmanager
def running(postgres_options: Mapping[str, str]) -> Iterator[Servers]:
    """Uses the servers named in the environment and starts those that are not named there."""
    postgres_url, redis_url = os.environ.get(POSTGRES_URL), os.environ.get(REDIS_URL)
    with ExitStack() as stack:
        yield Servers(
            postgres_url or stack.enter_context(postgres(postgres_options)),
            redis_url or stack.enter_context(_redis()),
        )


def _leave(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _run(command: Sequence[str], servers: Servers) -> int:
    environment = os.environ | {POSTGRES_URL: servers.postgres_url, REDIS_URL: servers.redis_url}
    try:
        in_child = follow_parent(signal.SIGTERM)
        process = subprocess.Popen(command, env=environment, preexec_fn=in_child)
    except OSError as problem:
        raise CannotStart(f"{command[0]} cannot be run: {problem.strerror}.") from None
    try:
        return _exit_code(process)
    finally:
        process.terminate()
        process.wait()
        # Only tidying up is left, and a second Ctrl-C should not cut it short.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _exit_code(process: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            code = process.wait()
        except KeyboardInterrupt:
            # The terminal has signalled the command too; it closes in its own way, with its servers still there.
            continue
        return 128 - code if code < 0 else code


@contextmanager
def postgres(settings: Mapping[str, str], launcher: Sequence[str] = ()) -> Iterator[str]:
    programs = postgres_folder()
    with owned_folder("postgres") as folder:
        data = folder / "data"
        _make_cluster(programs / "initdb", data)
        options = [f"--{name}={value}" for name, value in settings.items()]
        with listening(
            lambda port: [*launcher, str(programs / "postgres"), "-D", str(data), f"--port={port}", *options],
            lambda _port: postgres_is_ready(data),
            folder=folder,
            # An immediate stop: nothing in there is needed again.
            stop=signal.SIGQUIT,
        ) as port:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"


def _make_cluster(initdb: Path, data: Path) -> None:
    # C.UTF-8 orders by code point like SQLite, and knows upper and lower case beyond ASCII.
    locale = ["--locale=C.UTF-8", "--encoding=UTF8"]
    command = [str(initdb), "-D", str(data), "--username=postgres", "--auth=trust", "--no-sync", *locale]
    process = _spawn(command, data.parent, follow_parent(signal.SIGTERM))
    if process.wait():
        raise CannotStart(f"PostgreSQL's initdb failed:\n{_log(data.parent)}")


def postgres_is_ready(data: Path) -> bool:
    try:
        return (data / "postmaster.pid").read_text().split()[-1] == "ready"
    except (OSError, IndexError):
        return False


@contextmanager
def _redis() -> Iterator[str]:
    program = redis_server()
    options = [word for name, value in REDIS_OPTIONS.items() for word in (f"--{name}", value)]
    with (
        owned_folder("redis") as folder,
        listening(
            lambda port: [program, "--port", str(port), "--dir", str(folder), *options],
            _redis_answers,
            folder=folder,
            stop=signal.SIGTERM,
        ) as port,
    ):
        yield f"redis://127.0.0.1:{port}/0"


def _redis_answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


@contextmanager
def pooler(postgres_url: str, **options: str) -> Iterator[str]:
    """Starts a private PgBouncer in transaction mode for the database and returns the URL through it."""
    program, target = installed("pgbouncer"), urlsplit(postgres_url)
    with owned_folder("pgbouncer") as folder:
        config = folder / "pgbouncer.ini"
        settings = {"listen_addr": "127.0.0.1", "unix_socket_dir": "", "auth_type": "any", "pool_mode": "transaction"}
        lines = [f"{name} = {value}\n" for name, value in (settings | options).items()]
        database = f"* = host={target.hostname} port={target.port} user={target.username}\n"

        def command(port: int) -> Sequence[str]:
            config.write_text(f"[databases]\n{database}[pgbouncer]\nlisten_port = {port}\n{''.join(lines)}")
            return [program, str(config)]

        with listening(command, accepts, folder=folder, stop=signal.SIGTERM) as port:
            yield target._replace(netloc=f"{target.username}@127.0.0.1:{port}").geturl()


def accepts(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


@contextmanager
def owned_folder(name: str) -> Iterator[Path]:
    """A folder that the server may write to."""
    with tempfile.TemporaryDirectory(prefix=f"lootkeep-{name}-", ignore_cleanup_errors=True) as folder:
        if owner := server_owner():
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        yield Path(folder)


@contextmanager
def listening(
    command: Callable[[int], Sequence[str]],
    is_ready: Callable[[int], bool],
    *,
    folder: Path,
    stop: signal.Signals,
) -> Iterator[int]:
    """The free port that a server listens on, once it does."""
    for _ in range(PORT_ATTEMPTS):
        port = free_port()
        process = _spawn(command(port), folder, follow_parent(stop))
        try:
            if _becomes_ready(process, functools.partial(is_ready, port)):
                yield port
                return
        finally:
            _stop(process, stop)
    raise CannotStart(f"{command(0)[0]} did not start:\n{_log(folder)}")


def _becomes_ready(process: subprocess.Popen[bytes], is_ready: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        if is_ready():
            return True
        time.sleep(0.02)
    return False


def _stop(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    process.send_signal(number)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _spawn(command: Sequence[str], folder: Path, in_child: Callable[[], None] | None) -> subprocess.Popen[bytes]:
    owner = server_owner()
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=SERVER_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=owner and owner.pw_uid,
            group=owner and owner.pw_gid,
            extra_groups=[] if owner else None,
            # A session of its own, or the terminal's Ctrl-C would stop the server under the command.
            start_new_session=True,
            preexec_fn=in_child,
        )


def server_owner() -> pwd.struct_passwd | None:
    """Who owns the servers when we are root: PostgreSQL refuses to be root, and Redis has no need to."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def follow_parent(number: signal.Signals) -> Callable[[], None] | None:
    """Runs first in a child process, so that it ends even when we are killed without warning (Linux only)."""
    if sys.platform != "linux":
        return None
    set_parent_death_signal = 1
    return functools.partial(ctypes.CDLL(None).prctl, set_parent_death_signal, int(number))


def _log(folder: Path) -> str:
    return (folder / "log").read_text(errors="replace")[-2000:].rstrip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
