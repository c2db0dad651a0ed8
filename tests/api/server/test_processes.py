"""Several processes on PostgreSQL: they stop together, and none outlives the one that started them."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.server.serving import PATIENCE_SECONDS, PROGRAMS, RunningServer, start, stop
from tests.api.server.uploads import Upload


@pytest.fixture
def served(postgres_settings: dict[str, str], tmp_path: Path) -> Iterator[RunningServer]:
    running = start(postgres_settings, tmp_path, PROGRAMS / "lootkeep", "serve", "--workers", "2")
    yield running
    stop(running)


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def test_processes_end_when_their_parent_is_killed(served: RunningServer) -> None:
    handles = [os.pidfd_open(child) for child in children(served.process.pid)]
    served.process.kill()
    served.process.wait()
    ended = [bool(select.select([handle], [], [], PATIENCE_SECONDS)[0]) for handle in handles]
    assert ended == [True, True]


def test_a_process_that_is_killed_is_replaced(served: RunningServer) -> None:
    first, second = children(served.process.pid)
    os.kill(first, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(alive := {*children(served.process.pid)} - {first}) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert second in alive
    assert len(alive) == 2


def test_no_connection_is_accepted_while_processes_finish_running_requests(served: RunningServer) -> None:
    upload = Upload(served, "under way")
    served.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while is_accepted(served.port) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_accepted(served.port)
    assert served.process.poll() is None
    upload.send_rest()
    assert upload.finish().status_code == 201
    assert served.process.wait(PATIENCE_SECONDS) == -signal.SIGTERM


def is_accepted(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS).close()
    except ConnectionError:
        # Refused; or reset, if it waited to be accepted when the listener was closed.
        return False
    return True
