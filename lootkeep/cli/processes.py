"""Several processes that serve one port: a process that ends is replaced, and none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory

import structlog
from prometheus_client.multiprocess import mark_process_dead
from uvicorn import Config
from uvicorn.config import STARTUP_FAILURE

from lootkeep.api.http.stopping import StoppingServer
from lootkeep.engines.process_end import STOP_SECONDS

log = structlog.get_logger(__name__)

_SPAWN = multiprocessing.get_context("spawn")
# The minimum time between two replacements.
_PAUSE_SECONDS = 0.5
_GRACE_SECONDS = 0.5
# Files here are memory: a full disk, which kills who writes to a mapped file, does not reach them.
_MEMORY = "/dev/shm"  # noqa: S108


class Processes:
    """Starts processes and supervises them until a signal or a failed start ends them all."""

    def __init__(self, config: Config, listener: socket.socket, count: int) -> None:
        self._config = config
        self._listener = listener
        # Its other end closes when this process ends in any way: that is how the others notice.
        self._lifeline, self._life = _SPAWN.Pipe(duplex=False)
        self._signal = 0
        self._woken, waker = socket.socketpair()
        self._waker = waker
        waker.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        # Each process counts in a file of its own, and a scrape adds all of them up.
        self._counts = TemporaryDirectory(prefix="lootkeep-", dir=_MEMORY if os.path.isdir(_MEMORY) else None)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = self._counts.name
        self._processes = [self._start() for _ in range(count)]

    def run(self) -> None:
        """Exits like the last process, and then by the signal itself."""
        has_failed = False
        while not self._signal and not has_failed:
            wait([self._woken, *(process.sentinel for process in self._processes)])
            has_failed = self._replace_ended()
        self._stop()
        self._counts.cleanup()
        if has_failed:
            sys.exit(STARTUP_FAILURE)
        signal.signal(self._signal, signal.SIG_DFL)
        signal.raise_signal(self._signal)

    def _start(self) -> BaseProcess:
        process = _SPAWN.Process(target=_serve, args=(self._config, self._listener, self._lifeline))
        process.start()
        return process

    def _on_signal(self, number: int, _frame: object) -> None:
        self._signal = number

    def _replace_ended(self) -> bool:
        """Whether a process could not even start: the next one would fail too."""
        for index, process in enumerate(self._processes):
            if self._signal or process.is_alive():
                continue
            if process.exitcode == STARTUP_FAILURE:
                log.error("a process could not start, so all of them end")
                return True
            log.error("a process has ended and is replaced", exit_code=process.exitcode)
            mark_process_dead(process.pid)
            time.sleep(_PAUSE_SECONDS)
            self._processes[index] = self._start()
        return False

    def _stop(self) -> None:
        # While this socket is open, the kernel accepts connections that no process would serve.
        self._listener.close()
        deadline = time.monotonic() + STOP_SECONDS + _GRACE_SECONDS
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()


def _serve(config: Config, listener: socket.socket, lifeline: Connection) -> None:
    threading.Thread(target=_follow, args=(lifeline,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        StoppingServer(config).run(sockets=[listener])


def _follow(lifeline: Connection) -> None:
    with suppress(EOFError, OSError):
        lifeline.recv_bytes()
    os.kill(os.getpid(), signal.SIGTERM)
