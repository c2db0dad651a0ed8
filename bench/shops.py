"""Five operations, here and in another shop system: product list, order list, an order, a new product, a sale.

The other has other data, so the answers are alike, not the same: each operation asks for what the page behind it
needs. Our sale is judged, sends a webhook and hands out keys; the peers do none of it. Both sides take turns on one
core, each with a PostgreSQL server whose CPU counts.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any

from bench import api, load
from bench.options import Options, progress
from bench.plots import Plot, Series
from bench.receiving import Receiver, receiver
from bench.report import Cell, SectionResult, Table, ratio
from bench.subjects import LOAD_CORES, Subject, cpu_seconds, database, lootkeep

ROUNDS = 9
SEEDED = 60
QUICK_SALES = 8
CONNECTIONS = 4
SETTLE_SECONDS = 0.05
# In stock of each of our products that is sold.
KEYS = 2_000
# Operations in a round.
SALE = "from cart to paid"
COUNTS = {"product list": 60, "order list": 40, "an order": 60, "product creation": 30, SALE: 15}


class Connection:
    """One keep-alive connection that sends JSON and reads it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self._reader, self._writer = reader, writer
        self.token = token

    async def call(self, method: str, path: str, body: object = None) -> Any:
        return (await self.exchange(method, path, body))["data"]

    async def exchange(self, method: str, path: str, body: object = None, *more: str) -> Any:
        """With more headers; the whole answer."""
        self._writer.write(load.request(method, path, self.token, body, *more))
        head = (await self._reader.readuntil(load.HEAD_END)).decode()
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.split("\r\n"))}
        answer = json.loads(await self._reader.readexactly(int(headers["content-length"])))
        if head[9:11] != "20" or answer.get("errors"):
            raise SystemExit(f"{path} answered {head[9:12]}: {json.dumps(answer)[:1000]}")
        # Vendure names the session of a guest in its first answer.
        self.token = headers.get("vendure-auth-token", self.token)
        return answer


Operation = Callable[[Connection, int], Awaitable[object]]


@dataclass
class Side:
    """A running server, what it does by name, its database server, where it sends, and milliseconds of each round."""

    subject: Subject
    operations: dict[str, Operation]
    postmaster: int | None = None
    # It has a webhook for every sale.
    target: Receiver | None = None
    numbers: Iterator[int] = field(default_factory=count)
    rounds: list[float] = field(default_factory=list)

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Connection]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.subject.port)
        yield Connection(reader, writer, self.subject.token)
        writer.close()

    async def do(self, name: str, how_many: int) -> None:
        """Over several connections, each with one operation under way at a time."""
        numbers = iter([next(self.numbers) for _ in range(how_many)])

        async def work() -> None:
            async with self.connected() as connection:
                for number in numbers:
                    connection.token = self.subject.token
                    await self.operations[name](connection, number)

        await asyncio.gather(*(work() for _ in range(CONNECTIONS)))

    async def round(self, name: str, how_many: int) -> None:
        before, arrived = self._spent(), self.target.arrivals().count if self.target else 0
        await self.do(name, how_many)
        if self.target and name == SALE:
            self.target.wait_for(arrived + how_many)
        await asyncio.sleep(SETTLE_SECONDS)
        self.rounds.append((self._spent() - before) * 1000 / how_many)

    def _spent(self) -> float:
        return cpu_seconds(self.subject.pid) + cpu_seconds(self.postmaster)


# The server of a peer on an empty database, and its operations.
Peer = Callable[[str], AbstractContextManager[tuple[Subject, dict[str, Operation]]]]


def compared(peer: Peer, options: Options) -> SectionResult:
    with receiver(LOAD_CORES) as target:
        name, rows = asyncio.run(_compare(peer, target, options))
    columns = ["operation", "Lootkeep ms", f"{name} ms", "times", "half in"]
    bars: Series = {"": [(str(row[0]), float(str(row[3]))) for row in rows]}
    title = f"Operations per CPU second compared with {name} on PostgreSQL"
    return SectionResult(
        [Table("CPU of an operation on PostgreSQL", columns, rows)], [Plot(name.lower(), title, "times", bars, {})]
    )


async def _compare(peer: Peer, target: Receiver, options: Options) -> tuple[str, list[list[Cell]]]:
    async with database("postgresql") as our_database, database("postgresql") as their_database:
        with ExitStack() as stack:
            ours = stack.enter_context(lootkeep(our_database.url, {"LOOTKEEP_WEBHOOK_ALLOW_INSECURE": "true"}))
            theirs, operations = await asyncio.to_thread(stack.enter_context, peer(their_database.url))
            sides = (
                Side(ours, _with_goods(ours, target), our_database.postmaster, target),
                Side(theirs, operations, their_database.postmaster),
            )
            for side, db in zip(sides, (our_database, their_database), strict=True):
                await side.do("product creation", SEEDED)
                await side.do(SALE, QUICK_SALES if options.is_quick else SEEDED)
                await db.analyze()
            rows = [await _compare_operation(name, sides, options) for name in COUNTS]
            await api.refuse_suspected("Lootkeep", our_database)
            return theirs.name, rows


def _with_goods(subject: Subject, target: Receiver) -> dict[str, Operation]:
    """Our operations in a store with a webhook, whose first two products are keys: those are what is sold."""
    subject.call("POST", {"url": target.url(0), "events": ["order.paid"]}, f"{api.EXTERNAL}/webhooks")
    sold = []
    for number in range(2):
        body = api.product(number) | {"name": f"Key {number}", "sku": f"KEY-{number}", "delivery_type": "keys"}
        sold.append(subject.call("POST", body | {"stock": None}, f"{api.STORE}/products")["data"]["id"])
        keys = {"keys": [f"KEY{number}-{piece:06}" for piece in range(KEYS)]}
        subject.call("POST", keys, f"{api.EXTERNAL}/products/{sold[-1]}/keys")
    lines = [{"product_id": product, "quantity": 2 - extra} for extra, product in enumerate(sold)]

    async def sale(connection: Connection, number: int) -> None:
        customer = await connection.call("POST", f"{api.STORE}/customers", api.customer(number))
        order = api.order(number) | {"customer_id": customer["customer"]["id"], "items": lines}
        placed = await connection.call("POST", f"{api.STORE}/orders", order)
        await connection.call("POST", f"{api.STORE}/orders/{placed['order']['id']}/pay", api.payment(number))

    return _OURS | {SALE: sale}


_OURS: dict[str, Operation] = {
    "product list": lambda connection, _: connection.call("GET", f"{api.EXTERNAL}/products"),
    "order list": lambda connection, _: connection.call("GET", f"{api.EXTERNAL}/orders"),
    "an order": lambda connection, _: connection.call("GET", f"{api.EXTERNAL}/orders/7"),
    "product creation": lambda connection, number: connection.call(
        "POST", f"{api.STORE}/products", api.product(number)
    ),
}


async def _compare_operation(name: str, sides: tuple[Side, Side], options: Options) -> list[Cell]:
    turns = list(sides)
    how_many = CONNECTIONS if options.is_quick else COUNTS[name]
    for number in range(options.rounds_or(ROUNDS) + 1):
        for side in turns:
            if number == 1:
                # The first round was for warming up.
                side.rounds.clear()
            await side.round(name, how_many)
        turns.reverse()
    ours, theirs = sides
    times = ratio(theirs.rounds, ours.rounds)
    progress(f"{theirs.subject.name}: {name} {times.median:.1f} times")
    half = f"{times.low:.1f} to {times.high:.1f}"
    return [name, median(ours.rounds), median(theirs.rounds), times.median, half]
