"""`lootkeep worker`: deliveries and periodic tasks without the API, in any number of processes."""

from __future__ import annotations

import asyncio
import signal
from typing import cast

from lootkeep import settings, wiring
from lootkeep.cli.output import out, run
from lootkeep.cli.waiting import until_opened
from lootkeep.engines import logs
from lootkeep.engines.process_end import end_in_time
from lootkeep.kernel.errors import StartupError
from lootkeep.settings import Settings
from lootkeep.storage.engine.database import Engine
from lootkeep.wiring.workers import working


def worker() -> None:
    """Send webhooks and run the periodic tasks. Needs PostgreSQL; `lootkeep serve` includes a worker."""
    config = settings.load()
    if config.sqlite_path:
        raise StartupError(
            "With an embedded database, `lootkeep serve` includes the worker. Set LOOTKEEP_DATABASE_URL to a "
            "PostgreSQL database to run workers next to it."
        )
    logs.configure(config.log_level, config.log_format)
    run(_work(config))


async def _work(config: Settings) -> None:
    stopping = asyncio.Event()

    def stop() -> None:
        end_in_time()
        stopping.set()

    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop)
    if not await until_opened(lambda: _answers(config), "The worker", stopping):
        return
    async with (
        wiring.opened(config) as deps,
        cast(Engine, deps.db).listening(),
        wiring.observing(config) as observation,
        working(deps, config, None, observation),
    ):
        out.print("The worker is running. Ctrl-C stops it.")
        await stopping.wait()


async def _answers(config: Settings) -> bool:
    """A server that is not up yet, as after a power failure, is unreachable."""
    engine = await wiring.open_database(config)
    await engine.close()
    return True
