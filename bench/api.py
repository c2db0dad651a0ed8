"""Ten reads and writes of both APIs, compared with the same endpoints in FastAPI, pydantic and SQLAlchemy ORM.

Each side has its own server and database server on one core, and they take turns; the load comes from another core.
CPU time counts, as wall time also depends on the neighbours on the machine.
"""

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from statistics import median
from typing import Any

from bench import load
from bench.options import Options, progress
from bench.plots import Plot, Series
from bench.report import Cell, SectionResult, Table, ratio, verdict
from bench.subjects import Subject, SubjectDatabase, cpu_seconds, database, lootkeep, peer

# Microseconds of CPU that a read and an order may cost, the database server's share included.
READ_BUDGETS = {"sqlite": 300, "postgresql": 700}
ORDER_BUDGETS = {"sqlite": 1400, "postgresql": 5000}
ROUNDS = 15
# As many as Lootkeep works on at a time: nothing queues, so that a busy machine refuses nothing.
CONNECTIONS = {"sqlite": 16, "postgresql": 8}
# What the lists are read from.
TIERS, PRODUCTS, CUSTOMERS, ORDERS = 15, 60, 60, 60
# What a server still does after its last answer belongs to the round.
SETTLE_SECONDS = 0.05
EXTERNAL, STORE = "/api/external/v1", "/api/store/v1"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")

TEXT = """CPU of a request in the server and in its database server, compared with the same endpoint in FastAPI,
pydantic and async SQLAlchemy ORM on uvicorn (`bench/peers/fastapi_orm`), which answers the same as far as it has the
fields. A read may cost 0.3 ms on SQLite and 0.7 on PostgreSQL, an order placed 1.4 and 5.0.

The peer does less: it judges an order by three signals where Lootkeep uses all of them, records no traces of the
buyer, maintains no totals for lists and analytics, has no idempotency keys, and nothing sends what its outbox holds.
PostgreSQL has statistics of what the first round wrote, as autovacuum collects them every minute.
The order is not that of `python -m bench.processes` and `bench.scaling`, which has one line instead of two, comes from
a buyer who returns, without device and browser, and is not judged.
*Half in*: the range of half of the rounds."""


@dataclass(frozen=True)
class Endpoint:
    """What is asked for: the n-th request, how many in a round, and the status to expect."""

    method: str
    path: str
    requests: int
    body: Callable[[int], dict[str, Any]] | None = None
    status: int = 200


def tier(number: int) -> dict[str, Any]:
    """Percentages and amounts in turn, as a real ladder of rewards has both."""
    is_percentage = number % 2 == 0
    return {
        "name": f"Tier {number}",
        "description": "Invite your friends and take a reward off your next order.",
        "referrals_required": 5 * (number + 1),
        "reward_type": "percentage_discount" if is_percentage else "fixed_discount",
        "reward_value": 12.5 if is_percentage else 5,
        "reward_currency": None if is_percentage else "USD",
        "coupon_validity_days": 60,
        "is_active": True,
        "sort_order": number,
    }


def product(number: int) -> dict[str, Any]:
    """Every other one with a stock."""
    return {
        "name": f"Dragon Sword {number}",
        "sku": f"SWORD-{number}",
        "description": "A sword for dragon slayers, forged in the first season and never sold again.",
        "price": "19.99",
        "stock": 1_000_000 if number % 2 else None,
        "category": "Weapons",
        "tags": ["rare", "melee"],
    }


def customer(number: int) -> dict[str, Any]:
    return {
        "email": f"jun{number}@example.com",
        "name": "Jun Park",
        "country": "KR",
        "ip_address": ip(number),
        "device_id": f"device-{number}",
        "accepts_marketing": True,
    }


def order(number: int) -> dict[str, Any]:
    """Two lines; everyone buys once, from their own device: who orders again and again would be stopped."""
    first = number % (PRODUCTS - 1) + 1
    return {
        "customer_id": number + 1,
        "items": [{"product_id": first, "quantity": 2}, {"product_id": first + 1, "quantity": 1}],
        "ip_address": ip(number),
        "billing_country": "KR",
        "device_id": f"device-{number}",
        "user_agent": BROWSER,
    }


def payment(number: int) -> dict[str, Any]:
    return {"payment_method": "card", "transaction_id": f"pi_{number}"}


def ip(number: int) -> str:
    """Of the range for benchmarks, which belongs to no country."""
    return f"198.{18 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


# Reads come first, as writing makes the lists grow. Who signs up then orders, and who ordered then pays.
ENDPOINTS = {
    "tier list": Endpoint("GET", f"{EXTERNAL}/referrals/tiers", 300),
    "product list": Endpoint("GET", f"{EXTERNAL}/products", 200),
    "a product": Endpoint("GET", f"{EXTERNAL}/products/7", 300),
    "order list": Endpoint("GET", f"{EXTERNAL}/orders", 100),
    "an order": Endpoint("GET", f"{EXTERNAL}/orders/7", 200),
    "tier creation": Endpoint("POST", f"{EXTERNAL}/referrals/tiers", 200, tier, 201),
    "product creation": Endpoint("POST", f"{STORE}/products", 200, product, 201),
    "sign-up": Endpoint("POST", f"{STORE}/customers", 200, customer, 201),
    "an order placed": Endpoint("POST", f"{STORE}/orders", 150, order, 201),
    "an order paid": Endpoint("POST", f"{STORE}/orders/{{id}}/pay", 150, payment),
}
SEEDED = {"tier creation": TIERS, "product creation": PRODUCTS, "sign-up": CUSTOMERS, "an order placed": ORDERS}
SEEDED["an order paid"] = ORDERS // 2


@dataclass
class Side:
    """A subject, its database server, the next number of each endpoint, and microseconds of each round."""

    subject: Subject
    database: SubjectDatabase
    connections: int
    numbers: dict[str, Iterator[int]] = field(default_factory=lambda: {name: count() for name in ENDPOINTS})
    service_us: list[float] = field(default_factory=list)
    database_us: list[float] = field(default_factory=list)

    @property
    def both_us(self) -> list[float]:
        return [service + server for service, server in zip(self.service_us, self.database_us, strict=True)]

    def requests(self, name: str, how_many: int) -> list[bytes]:
        endpoint = ENDPOINTS[name]
        return [
            load.request(endpoint.method, path(endpoint, number), self.subject.token, body(endpoint, number))
            for number in islice(self.numbers[name], how_many)
        ]

    def seed(self) -> list[Any]:
        """Fills the store, and gives what it answered on the way and answers then."""
        answers = []
        for name, rows in SEEDED.items():
            for number in islice(self.numbers[name], rows):
                endpoint = ENDPOINTS[name]
                answers.append(self.subject.call(endpoint.method, body(endpoint, number), path(endpoint, number)))
        reads = [endpoint.path for endpoint in ENDPOINTS.values() if endpoint.method == "GET"]
        return answers + [self.subject.call("GET", path=read) for read in reads]

    async def round(self, name: str, how_many: int) -> None:
        requests = self.requests(name, how_many)
        async with load.connected(self.subject.port, ENDPOINTS[name].status, self.connections) as send:
            await asyncio.sleep(SETTLE_SECONDS)
            before = cpu_seconds(self.subject.pid), cpu_seconds(self.database.postmaster)
            await send(requests)
            await asyncio.sleep(SETTLE_SECONDS)
            after = cpu_seconds(self.subject.pid), cpu_seconds(self.database.postmaster)
        service, server = ((end - start) * 1e6 / how_many for start, end in zip(before, after, strict=True))
        self.service_us.append(service)
        self.database_us.append(server)


def path(endpoint: Endpoint, number: int) -> str:
    return endpoint.path.format(id=number + 1)


def body(endpoint: Endpoint, number: int) -> dict[str, Any] | None:
    return endpoint.body(number) if endpoint.body else None


def shared(ours: Any, theirs: Any) -> Any:
    """Our answer without the fields that the peer does not have."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return {name: shared(value, theirs[name]) for name, value in ours.items() if name in theirs}
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [shared(*pair) for pair in zip(ours, theirs, strict=True)]
    return ours


def comparable(answer: Any, key: str = "") -> Any:
    """Without what differs by chance: moments and random codes."""
    if isinstance(answer, dict):
        return {name: comparable(value, name) for name, value in answer.items()}
    if isinstance(answer, list):
        return [comparable(value) for value in answer]
    is_moment = isinstance(answer, str) and _TIME.fullmatch(answer)
    return "any" if is_moment or (key == "referral_code" and answer) else answer


def measure(options: Options) -> SectionResult:
    rows = {engine: asyncio.run(compare(engine, options)) for engine in options.engines}
    columns = [
        "endpoint",
        "Lootkeep µs",
        "of it PostgreSQL",
        "peer µs",
        "of it PostgreSQL",
        "times",
        "half in",
        "budget µs",
        "",
    ]
    tables = [Table(f"{engine}: CPU of a request", columns, those) for engine, those in rows.items()]
    series: Series = {engine: [(str(row[0]), float(str(row[5]))) for row in those] for engine, those in rows.items()}
    title = "Requests per CPU second compared with FastAPI and SQLAlchemy ORM"
    return SectionResult(tables, [Plot("api", title, "times", series, {})])


async def compare(engine: str, options: Options) -> list[list[Cell]]:
    async with database(engine) as our_database, database(engine) as their_database:
        with lootkeep(our_database.url) as ours, peer(their_database.url) as theirs:
            connections = CONNECTIONS[engine]
            sides = (
                Side(ours, our_database, connections),
                Side(theirs, their_database, connections),
            )
            for our_answer, their_answer in zip(*(side.seed() for side in sides), strict=True):
                if comparable(shared(our_answer, their_answer)) != comparable(their_answer):
                    raise SystemExit(f"The subjects do not answer the same:\n{our_answer}\n{their_answer}")
            return [await compare_endpoint(engine, name, sides, options) for name in ENDPOINTS]


async def compare_endpoint(engine: str, name: str, sides: tuple[Side, Side], options: Options) -> list[Cell]:
    how_many = CONNECTIONS[engine] if options.is_quick else ENDPOINTS[name].requests
    turns = list(sides)
    for number in range(options.rounds_or(ROUNDS) + 1):
        for side in turns:
            if number == 1:
                # The first round was for warming up.
                side.service_us.clear()
                side.database_us.clear()
                await side.database.analyze()
            await side.round(name, how_many)
        # The subject that was second is first in the next round, so that neither always follows the other.
        turns.reverse()
    ours, theirs = sides
    times = ratio(theirs.both_us, ours.both_us)
    progress(f"{engine}: {name} {times.median:.2f} times")
    cells = [cell for side in sides for cell in (median(side.both_us), side_of_database(side))]
    limit = budget(engine, name)
    met = "" if limit is None else verdict(is_met=median(ours.both_us) <= limit)
    return [name, *cells, times.median, f"{times.low:.1f} to {times.high:.1f}", limit, met]


def budget(engine: str, name: str) -> int | None:
    if name == "an order placed":
        return ORDER_BUDGETS[engine]
    return READ_BUDGETS[engine] if ENDPOINTS[name].method == "GET" else None


def side_of_database(side: Side) -> float | None:
    return median(side.database_us) if side.database.postmaster else None
