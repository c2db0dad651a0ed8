"""Where the CPU of a write goes on PostgreSQL: in this process by layer, in the server by statement.

`.venv/bin/python -m bench.profiles [--count 400]`. Customers sign up, place an order of one line with its fraud check
and pay it, over one connection and without sockets to the API. The server counts planning and running of each statement
(`pg_stat_statements`, which PostgreSQL brings along); what is left of its CPU is receiving, parsing, setting up the
plans, committing and responding. A profiler watches this process in a second pass, so that the figures of the first
are true; its shares favour layers of many small functions.
"""

import argparse
import asyncio
import cProfile
import pstats
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from rich.console import Console
from rich.table import Table

from bench.orders import Shop, settings_for
from bench.subjects import ROOT, SubjectDatabase
from lootkeep.engines import logs
from lootkeep.services import access as access_service
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.wiring import store
from tests import servers

WATCHED = servers.POSTGRES_OPTIONS | {
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track_planning": "on",
}
# Until plans are generic and statistics are collected.
WARM_UP = 300
_STATEMENTS = """
    SELECT query, total_plan_time + total_exec_time AS spent FROM pg_stat_statements
    WHERE query NOT LIKE '%pg_stat_statements%' ORDER BY spent DESC
"""

Operation = Callable[[int], Awaitable[Any]]


async def measure(count: int) -> None:
    with servers.postgres(WATCHED) as url:
        settings = settings_for(SubjectDatabase(url, None))
        async with store.opened(settings) as deps:
            assert isinstance(deps.db, PostgresDatabase)
            connection = await deps.db.pool.take()
            backend = await connection.fetchval("SELECT pg_backend_pid()")
            deps.db.pool.give_back(connection)
            await access_service.ensure_owner(deps)
            token, _ = await access_service.create_token(deps, name="bench", scopes=["store:write"])
            shop = Shop(deps, settings, token, backend)
            await shop.open()
            server = await asyncpg.connect(url)
            await server.execute("CREATE EXTENSION pg_stat_statements")
            await _warm_up(shop, server)
            for name, operation in _operations(shop).items():
                await _report(name, operation, shop, server, count)
            await server.close()


def _operations(shop: Shop) -> dict[str, Operation]:
    """Orders are paid in the order in which they were placed."""
    orders: asyncio.Queue[int] = asyncio.Queue()

    async def place(number: int) -> None:
        orders.put_nowait(await shop.place(number))

    async def pay(_: int) -> None:
        await shop.pay(orders.get_nowait())

    return {"sign-up": shop.sign_up, "an order placed": place, "an order paid": pay}


async def _warm_up(shop: Shop, server: Any) -> None:
    for operation in _operations(shop).values():
        for number in range(-WARM_UP, 0):
            await operation(number)
    await server.execute("ANALYZE")


async def _report(name: str, operation: Operation, shop: Shop, server: Any, count: int) -> None:
    await server.execute("SELECT pg_stat_statements_reset()")
    before = shop.spent()
    for number in range(count):
        await operation(number)
    process, backend = (1000 * (end - start) / count for start, end in zip(before, shop.spent(), strict=True))
    statements = await server.fetch(_STATEMENTS)
    profiler = cProfile.Profile(time.process_time)
    started = time.process_time()
    profiler.enable()
    for number in range(count, 2 * count):
        await operation(number)
    profiler.disable()
    layers = _by_layer(pstats.Stats(profiler), time.process_time() - started)
    _print(f"{name}: {process:.2f} ms in the process", [(layer, process * share) for layer, share in layers])
    of_statements = [(" ".join(row["query"].split())[:90], row["spent"] / count) for row in statements[:8]]
    rest = backend - sum(row["spent"] for row in statements) / count
    rows = [*of_statements, ("receiving, parsing, setting up, committing, responding", rest)]
    _print(f"{name}: {backend:.2f} ms in the server", rows)


def _by_layer(stats: pstats.Stats, spent: float) -> list[tuple[str, float]]:
    """Shares of the time. Functions written in C count for who called them; the loop and its sockets are the rest."""
    layers: defaultdict[str, float] = defaultdict(float)
    for function, (_, _, own, _, callers) in stats.stats.items():  # type: ignore[attr-defined]
        if layer := _layer(function[0]):
            layers[layer] += own
            continue
        for caller, (_, _, share, _) in callers.items():
            layers[_layer(caller[0]) or "libraries"] += share
    layers["event loop, sockets, protocol of PostgreSQL"] = spent - sum(layers.values())
    return sorted(((layer, seconds / spent) for layer, seconds in layers.items()), key=lambda row: -row[1])


def _layer(file: str) -> str | None:
    """The folder of the service, or the library; None for what is written in C or comes with Python."""
    parts = Path(file).parts
    if "site-packages" in parts:
        return parts[parts.index("site-packages") + 1]
    if not Path(file).is_relative_to(ROOT):
        return None
    parts = Path(file).relative_to(ROOT).parts
    return "/".join(parts[: 3 if parts[:3] == ("lootkeep", "storage", "engine") else 2])


def _print(title: str, rows: list[tuple[str, float]]) -> None:
    table = Table("", "ms", title=title, title_justify="left")
    for name, milliseconds in rows:
        table.add_row(name, f"{milliseconds:.3f}")
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.profiles")
    parser.add_argument("--count", type=int, default=400, help="operations of each kind in each pass")
    options = parser.parse_args()
    logs.configure("warning", "json")
    uvloop.run(measure(options.count))
    return 0


if __name__ == "__main__":
    sys.exit(main())
