"""A connector in this process, between a store on a real socket and a game on another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from uvicorn import Config
from uvicorn.server import ServerState

from lootkeep.api.http.server import Protocol
from lootkeep.storage.goods import commands as commands_db
from lootkeep.toolbox.connect.connector import Connector, Target
from lootkeep.toolbox.connect.journal import Journal
from lootkeep.toolbox.connect.queue import StoreQueue
from lootkeep.toolbox.connect.rcon import Rcon, RconOptions
from tests.rcon_server import PASSWORD, PATIENCE_SECONDS, RconServer
from tests.world import World


@asynccontextmanager
async def listening(world: World) -> AsyncIterator[str]:
    """The URL of the world's API."""
    config = Config(world.app, http=Protocol, lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Protocol(config, state, {}), "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for connection in list(state.connections):
            connection.shutdown()
        for task in list(state.tasks):
            task.cancel()
        await asyncio.gather(*state.tasks, return_exceptions=True)


def rcon(game: RconServer, ask_online: str | None = None) -> Rcon:
    return Rcon(RconOptions("127.0.0.1", game.port, PASSWORD, ask_online))


@asynccontextmanager
async def connected(world: World, token: str, target: Target, journal: Path) -> AsyncIterator[list[str]]:
    """What the connector says."""
    said: list[str] = []
    async with listening(world) as url:
        connector = Connector(target, StoreQueue(url, token), Journal(journal), said.append)
        running = asyncio.create_task(connector.run())
        try:
            yield said
        finally:
            connector.stop()
            await running


async def until(world: World, *expected: tuple[str, str]) -> None:
    """Waits until the commands of the store have these causes and statuses."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            # Not over the API, which limits its calls.
            async with world.db.read() as tx:
                commands = sorted(await commands_db.ROWS.find(tx), key=lambda command: command.id)
            if [(command.cause, command.status) for command in commands] == list(expected):
                return
            # The connector is in this process.
            await asyncio.sleep(0.01)
