"""The environment of state machines: their own event loop, and an empty store on either engine for each example."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import asyncpg
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from lootkeep.kernel.errors import AppError
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import metadata
from tests.world import World

R = TypeVar("R")
Empty: TypeAlias = Callable[[], Coroutine[Any, Any, Engine]]

STEPS = 50
# Finding the shortest sequence that fails takes minutes; passing takes seconds.
TIME_TO_SHRINK = 600
NO_DEADLINE = settings(
    deadline=None,
    stateful_step_count=STEPS,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


class MachineEnvironment:
    """An event loop, and an empty store for each example."""

    def __init__(self, empty: Empty) -> None:
        self._loop = asyncio.new_event_loop()
        self._empty = empty

    def run(self, operation: Coroutine[Any, Any, R]) -> R:
        return self._loop.run_until_complete(operation)

    def move_in(self) -> World:
        world = World(self.run(self._empty()))
        self.run(world.begin())
        return world

    def move_out(self, world: World) -> None:
        self.run(world.close())
        self.run(world.db.close())

    def leave(self) -> None:
        self._loop.close()


class Machine(RuleBasedStateMachine):
    """A state machine that runs operations in sequence, in a new world for each example."""

    home: MachineEnvironment

    def __init__(self) -> None:
        super().__init__()
        self.world = self.home.move_in()
        self.deps = self.world.deps

    def teardown(self) -> None:
        self.home.move_out(self.world)

    def run(self, operation: Coroutine[Any, Any, R]) -> R:
        return self.home.run(operation)

    def rejection(self, operation: Coroutine[Any, Any, Any]) -> AppError:
        """Expects the operation to be rejected and returns the reason."""
        try:
            self.run(operation)
        except AppError as reason:
            return reason
        raise AssertionError("This must be refused.")


def play(machine: type[Machine], empty: Empty, *, examples: int) -> None:
    """Runs a machine, which finds its `home` in its class."""
    home = MachineEnvironment(empty)
    try:
        here = type(machine.__name__, (machine,), {"home": home})
        run_state_machine_as_test(here, settings=settings(NO_DEADLINE, max_examples=examples))
    finally:
        home.leave()


def on_sqlite(template: Path, folder: Path) -> Empty:
    numbers = count(1)

    async def empty() -> Engine:
        path = folder / f"{next(numbers)}.db"
        shutil.copy(template, path)
        return SqliteDatabase(path)

    return empty


def on_postgresql(url: str) -> Empty:
    tables = ", ".join(table.name for table in metadata.sorted_tables)

    async def empty() -> Engine:
        connection = await asyncpg.connect(url)
        await connection.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
        await connection.close()
        return await PostgresDatabase.open(url, 1)

    return empty
