"""SIGKILL of connectors, services and workers: no command is lost, none runs twice, and the unknown ones say so."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from sqlalchemy import update

from lootkeep import wiring
from lootkeep.domain.commands import Command
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unavailable
from lootkeep.settings import Settings
from lootkeep.storage import migrations
from lootkeep.storage.engine.query import Query
from lootkeep.storage.goods import commands as commands_db
from lootkeep.storage.schema import commands
from tests.api.commanding import bought, survival
from tests.faults.processes import Processes
from tests.ports import free_port
from tests.rcon_server import PASSWORD, PATIENCE_SECONDS, RconServer
from tests.world import KEY, World

_FORGET_LEASES = Query(update(commands).where(commands.c.lease.is_not(None)).values(due_at=0))


@dataclass
class ConnectorReport:
    """What the game ran, how often, and what the store says about it."""

    ran: Counter[str]
    commands: list[Command]
    killed: Counter[str]
    # Kills while the game had a command that it did not answer.
    in_flight: int

    def of(self, status: str) -> set[str]:
        return {command.text for command in self.commands if command.status == status}


async def run(url: str, folder: Path, victims: list[str], *, count: int, seed: int) -> ConnectorReport:
    """Runs commands in a game while the victims, in any order, are killed one after the other."""
    chance = random.Random(seed)
    settings = Settings(_env_file=None, database_url=url, secret_key=KEY, database_connections=3)
    engine = await wiring.open_database(settings)
    await migrations.upgrade(engine)
    world = World(engine)
    await world.begin()
    try:
        async with RconServer() as game:
            server = await survival(world)
            await _queue(world, count)
            processes = _processes(settings, server.token, game, folder)
            try:
                for name in sorted(set(victims)):
                    processes.start(name)
                in_flight = await _rage(processes, game, chance.sample(victims, len(victims)), count, chance)
                await _end(world, processes)
            finally:
                processes.kill_all()
        return ConnectorReport(game.ran, await _stored(world), Counter(victims), in_flight)
    finally:
        await world.close()
        await engine.close()


def _processes(settings: Settings, token: str, game: RconServer, folder: Path) -> Processes:
    port = free_port()
    commands = {
        "service": ["serve", "--port", str(port)],
        "connector": ["connect", "rcon", "--store", f"http://127.0.0.1:{port}", "--port", str(game.port)],
        "worker": ["worker"],
    }
    environment = {
        "LOOTKEEP_DATABASE_URL": settings.database_url,
        "LOOTKEEP_SECRET_KEY": KEY,
        "LOOTKEEP_COMMAND_LEASE_SECONDS": "5",
        "SERVER_TOKEN": token,
        "RCON_PASSWORD": PASSWORD,
    }
    return Processes(commands, environment, folder)


async def _queue(world: World, count: int) -> None:
    """One order with many commands, each with a text of its own."""
    await bought(world)
    (first,) = await _stored(world)
    async with world.db.write() as tx:
        texts = [f"give Notch diamond {number}" for number in range(1, count)]
        await commands_db.add(tx, [replace(first, id=0, text=text, due_at=Instant(0)) for text in texts])


async def _rage(processes: Processes, game: RconServer, order: list[str], count: int, chance: random.Random) -> int:
    """Kills at random places; every second connector while the game has a command that it does not answer."""
    in_flight = 0
    for number, name in enumerate(order, 1):
        goal = max(game.ran.total() + 1, (count - len(order)) * number // len(order) - chance.randrange(10))
        is_held = name == "connector" and number % 2 == 0
        game.hold_from = goal if is_held else None
        await game.until_ran(goal)
        processes.kill(name)
        in_flight += is_held
        game.hold_from = None
        processes.start(name)
    return in_flight


async def _end(world: World, processes: Processes) -> None:
    """Lets the work come to its end, without waiting for the leases of the dead."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(command.is_open for command in await _stored(world)):
        assert time.monotonic() < deadline, processes.log()
        # This locks all commands in no order, as nothing in the service does: a report of results may come in between.
        with suppress(Unavailable):
            async with world.db.write() as tx:
                await tx.run(_FORGET_LEASES)
        await asyncio.sleep(0.5)


async def _stored(world: World) -> list[Command]:
    async with world.db.read() as tx:
        return await commands_db.ROWS.find(tx)
