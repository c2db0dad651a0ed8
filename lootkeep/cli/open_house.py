"""Serves an open house: the demo is made again each night in a new file, which is swapped in between two servers."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import structlog
from pydantic import SecretStr
from uvicorn import Config

from lootkeep import wiring
from lootkeep.api.http.stopping import StoppingServer
from lootkeep.cli.demo import ensure
from lootkeep.cli.output import run
from lootkeep.engines import key_file
from lootkeep.kernel.clock import DAY, HOUR, Clock, Instant
from lootkeep.settings import Settings
from lootkeep.storage import demo as demo_db

log = structlog.get_logger(__name__)

_SPAWN = multiprocessing.get_context("spawn")
# By UTC: the day is over in America, and has not begun in Europe.
_RENEWED_AT = 4 * HOUR
# What SQLite has next to a database.
_COMPANIONS = ("-wal", "-shm")


def next_renewal(now: Instant) -> Instant:
    today = now // DAY * DAY + _RENEWED_AT
    return Instant(today if now < today else today + DAY)


def build(settings: Settings) -> None:
    """In a process of its own: it takes seconds, in which requests would wait."""
    run(_build(settings))


async def _build(settings: Settings) -> None:
    async with wiring.opened(settings) as deps:
        await ensure(deps)
        async with deps.db.write() as tx:
            await demo_db.set_open_house(tx, True, deps.clock.now())


class OpenHouse:
    """One server after the other on one listener: while none accepts, connections wait in its backlog."""

    def __init__(
        self,
        server: Config,
        listener: socket.socket,
        settings: Settings,
        path: Path,
        clock: Clock,
        build: Callable[[Settings], None] = build,
    ) -> None:
        self._server = server
        self._listener = listener
        self._path = path
        self._next_path = path.with_name(f"{path.name}.next")
        self._clock = clock
        key, file = settings.key_sources
        key = key or (key_file.read(file) if file else None)
        # The same key, so that it is not lost with the old file.
        url, secret = f"sqlite:///{self._next_path}", SecretStr(key) if key else None
        self._settings = settings.model_copy(update={"database_url": url, "secret_key": secret})
        self._build = build

    def run(self) -> None:
        """Until a signal ends it."""
        while self._serve():
            _remove(self._path, _COMPANIONS)
            os.replace(self._next_path, self._path)
            log.info("the demo is new")

    def _serve(self) -> bool:
        """Whether a new store is there, and the server ended for it."""
        server = _DayServer(self._server, next_renewal(self._clock.now()), self._clock, self._start_build)
        server.run(sockets=[self._listener.dup()])
        return server.is_renewed

    def _start_build(self) -> BaseProcess:
        _remove(self._next_path, ("", *_COMPANIONS))
        process = _SPAWN.Process(target=self._build, args=(self._settings,), daemon=True)
        process.start()
        return process


class _DayServer(StoppingServer):
    """Serves until the next store is built. If that fails, it serves another day."""

    def __init__(self, config: Config, due: Instant, clock: Clock, start_build: Callable[[], BaseProcess]) -> None:
        super().__init__(config)
        self.is_renewed = False
        self._due = due
        self._clock = clock
        self._start_build = start_build
        self._building: BaseProcess | None = None

    async def on_tick(self, counter: int) -> bool:
        now = self._clock.now()
        if self._building is None and now >= self._due:
            self._building, self._due = self._start_build(), next_renewal(now)
        elif self._building is not None and self._building.exitcode is not None:
            self.is_renewed = self.should_exit = self._building.exitcode == 0
            if not self.is_renewed:
                log.error("the demo could not be made again; the old one stays for a day")
            self._building = None
        return await super().on_tick(counter)


def _remove(path: Path, endings: tuple[str, ...]) -> None:
    for ending in endings:
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).unlink()
