"""What goods cost: an order of keys next to one of nothing, a large stock of keys, and a long queue of commands.

Called in this process without sockets, in copies of stores that are made once; on PostgreSQL the server's CPU counts
too. Both sizes take turns.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import apsw
import asyncpg
import structlog
import uvloop
from sqlalchemy import Table

from bench import built, data, report
from bench.analytics import NUMBERS
from bench.checkout import copied
from bench.options import Options, progress
from bench.readings import OpenStore, cost, opened
from bench.report import Cell, SectionResult, ratio, verdict
from lootkeep.kernel.clock import MINUTE
from lootkeep.kernel.ids import RandomIds
from lootkeep.storage import migrations
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.engine.sqlite import SqliteDatabase
from lootkeep.storage.schema import commands, order_items, orders, product_keys
from tests.api.commanding import GIVE, GameServer, bought, open_server, rank
from tests.builders import new_customer, new_keys, new_product, paid_order
from tests.console.visits import Visitor, visitor
from tests.world import NOON, World

# Keys in stock; a tenth as many commands wait, and as many as all rounds take.
SIZES = (10_000, 1_000_000)
QUICK_SIZES = (1_000, 2_000)
MIN_COMMANDS = 10_000
ROUNDS = 7
CALLS = 20
MAX_TIMES = 1.5
MAX_MORE_STATEMENTS = 2
# The products of the store, and how many commands a server takes at a time.
NOTHING, KEYS, RANK = 1, 2, 3
_TAKEN = 50

TEXT = f"""CPU of orders, calls and pages with a small and a large stock of keys. A tenth as many commands, at least
{MIN_COMMANDS:,}, wait in the queue of a server. Fraud detection is off. A large stock may cost {MAX_TIMES} times what a
small one costs. On PostgreSQL an order of a key may take {MAX_MORE_STATEMENTS} statements more than one of nothing."""

Operation = Callable[[], Awaitable[Any]]


@dataclass(frozen=True)
class GoodsStore:
    """A store that is open, its staff and its game server."""

    store: OpenStore
    world: World
    staff: Visitor
    server: GameServer

    @property
    def operations(self) -> dict[str, Operation]:
        world, keys = self.world, f"/products/{KEYS}/keys"
        return {
            "order of nothing, placed and paid": partial(self._order, NOTHING),
            "order of a key, placed and paid": partial(self._order, KEYS),
            "add 10 keys": partial(self._add_keys, 10),
            "keys of a product": partial(world.get, keys),
            "available keys of a product": partial(world.get, f"{keys}?status=available"),
            "batches of a product": partial(world.get, f"/products/{KEYS}/key-batches"),
            "product": partial(world.get, f"/products/{KEYS}"),
            "page of the product": partial(self.staff.get, f"/products/{KEYS}"),
            "page of its keys": partial(self.staff.get, f"/products/{KEYS}/keys"),
            f"take {_TAKEN} commands and report them": self._run_commands,
            "commands": partial(world.get, "/commands"),
            "servers": partial(world.get, "/servers"),
        }

    async def _order(self, product_id: int) -> None:
        self.world.clock.advance(MINUTE)
        await paid_order(self.world, 1, (product_id, 1))

    async def _add_keys(self, count: int) -> None:
        self.world.clock.advance(MINUTE)
        await new_keys(self.world, KEYS, count)

    async def _run_commands(self) -> None:
        commands = await self.server.take(f"?limit={_TAKEN}")
        assert len(commands) == _TAKEN
        await self.server.report(*({"id": command["id"], "ok": True, "output": "Done."} for command in commands))


def measure(options: Options) -> SectionResult:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    sizes = options.rows or (QUICK_SIZES if options.is_quick else SIZES)
    tables: list[report.Table] = []
    for engine in options.engines:
        tables += uvloop.run(_tables(engine, sizes, options.rounds_or(ROUNDS)))
    return SectionResult(tables)


async def _tables(engine: str, sizes: tuple[int, ...], rounds: int) -> list[report.Table]:
    async with AsyncExitStack() as stack:
        stores = [await _opened(stack, engine, size) for size in sizes]
        rows = [await _compare(name, stores, rounds) for name in stores[0].operations]
        columns = [engine, *(f"ms with {size:,}" for size in sizes), "times", "half in", ""]
        tables = [report.Table(f"{engine}: CPU in ms by keys in stock", columns, rows)]
        if engine == "postgresql":
            counts = [await _statements(stores[-1], product) for product in (NOTHING, KEYS)]
            is_met = counts[1] <= counts[0] + MAX_MORE_STATEMENTS
            row: list[Cell] = ["place and pay", *counts, verdict(is_met=is_met)]
            tables.append(report.Table(f"{engine}: statements", ["", "order of nothing", "order of a key", ""], [row]))
        for each in stores:
            await each.world.close()
            await each.world.db.close()
        return tables


async def _compare(name: str, stores: list[GoodsStore], rounds: int) -> list[Cell]:
    costs: list[list[float]] = [[] for _ in stores]
    for each in stores:
        await each.operations[name]()
    for _ in range(rounds):
        for index, each in enumerate(stores):
            costs[index].append((await cost(each.store, each.operations[name], CALLS)).cpu_us / 1000)
    times = ratio(costs[-1], costs[0])
    progress(f"{name}: {times.median:.2f} times")
    half = f"{times.low:.2f} to {times.high:.2f}"
    return [name, *map(median, costs), times.median, half, verdict(is_met=times.median <= MAX_TIMES)]


async def _statements(each: GoodsStore, product_id: int) -> int:
    """Of one order on the only connection, after those that prepared them."""
    database = each.world.db
    assert isinstance(database, PostgresDatabase)
    connection, seen = await database.pool.take(), list[str]()

    def note(query: Any) -> None:
        seen.append(query.query)

    connection.add_query_logger(note)
    database.pool.give_back(connection)
    await each._order(product_id)
    connection.remove_query_logger(note)
    return len(seen)


async def _opened(stack: AsyncExitStack, engine: str, size: int) -> GoodsStore:
    name = built.name_of("goods", size, __file__)
    if engine == "sqlite":
        location = str(await built.on_sqlite(name, partial(_make_sqlite, size=size)))
    else:
        location = await built.on_postgres(name, partial(_make_postgres, size=size))
    progress(f"{engine} with {size:,} keys is there")
    store = await opened(engine, size, await stack.enter_async_context(copied(engine, location)))
    world = _world(store.engine)
    await world.begin()
    token = (await world.post("/servers/1/rotate-token")).json()["data"]["token"]
    return GoodsStore(store, world, await visitor(world, "owner"), GameServer(world, token))


def _world(engine: Engine) -> World:
    return World(engine, ids=RandomIds(), rate_limit_per_minute=0)


async def _furnish(engine: Engine) -> None:
    """A buyer, the products and a server with the command of one order."""
    await migrations.upgrade(engine)
    world = _world(engine)
    await world.begin()
    await world.put("/fraud/settings", {"fraud_detection_enabled": False})
    await new_customer(world)
    await new_product(world, name="Nothing", delivery_type="file", file_url="https://files.example/1")
    await new_product(world, name="Key", delivery_type="keys", stock=0)
    await new_keys(world, KEYS, 1)
    await open_server(world)
    await bought(world, await rank(world, GIVE))
    await world.close()
    await engine.close()


def _rows(engine: str, size: int) -> Iterator[str]:
    """More keys in the batch of the first, and more orders with a command each, like the first."""
    yield _copies(engine, product_keys, size, key_hash="'hash' || i", status="'available'")
    yield f"UPDATE products SET stock = stock + {size}, keys_available = keys_available + {size} WHERE id = {KEYS}"
    waiting = max(size // 10, MIN_COMMANDS)
    yield _copies(engine, orders, waiting, id="i + 1")
    yield _copies(engine, order_items, waiting, id="i + 1", order_id="i + 1")
    yield _copies(engine, commands, waiting, order_id="i + 1", item_id="i + 1")


def _copies(engine: str, table: Table, count: int, **values: str) -> str:
    """Of the first row, with other values."""
    names = [column.name for column in table.c if column.name != "id" or "id" in values]
    shown = ", ".join(values.get(name, name) for name in names)
    first = f"(SELECT * FROM {table.name} ORDER BY id LIMIT 1) AS first"
    source = f"(SELECT i FROM {NUMBERS[engine].format(count)}) AS numbers CROSS JOIN {first}"
    return f"INSERT INTO {table.name} ({', '.join(names)}) SELECT {shown} FROM {source}"


async def _make_sqlite(path: Path, size: int) -> None:
    await _furnish(SqliteDatabase(path))
    connection = apsw.Connection(str(path))
    with connection:
        for statement in _rows("sqlite", size):
            connection.execute(statement)
    connection.execute("ANALYZE")
    connection.close()
    await data.count(SqliteDatabase(path), NOON)


async def _make_postgres(url: str, size: int) -> None:
    await _furnish(await PostgresDatabase.open(url, 1))
    connection = await asyncpg.connect(url)
    for statement in _rows("postgresql", size):
        await connection.execute(statement)
    await data.finish_postgres(connection, url, NOON)
