"""Ten reads and writes of the API: what is asked for, and a side that answers, with the CPU and the times of it.

Customers are looked up in the database: sign-ups that run at once get their ids in any order.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from bench import load
from bench.receiving import connected
from bench.subjects import Subject, SubjectDatabase, cpu_seconds

# As many as Lootkeep works on at a time on one core: nothing queues, so that a busy machine refuses nothing.
CONNECTIONS = {"sqlite": 16, "postgresql": 8}
# What the lists are read from.
TIERS, PRODUCTS, CUSTOMERS, ORDERS = 15, 60, 60, 60
# What a server still does after its last answer belongs to the round.
SETTLE_SECONDS = 0.05
# Of the orders: more would be other work than that of an order that nothing speaks against.
MAX_SUSPECTED = 0.01
EXTERNAL, STORE = "/api/external/v1", "/api/store/v1"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"
_CUSTOMERS = "SELECT email, id FROM customers"
_SUSPECTED = "SELECT count(*) FROM fraud_checks WHERE action_taken <> 'allowed'"
_STOPPED = "SELECT count(*) FROM orders WHERE status NOT IN ('pending', 'paid', 'completed')"


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
    """A subject, its database, the next number of each endpoint, and what each round cost and took."""

    subject: Subject
    database: SubjectDatabase
    connections: int
    numbers: dict[str, Iterator[int]] = field(default_factory=lambda: {name: count() for name in ENDPOINTS})
    # The ids of customers by their addresses.
    customers: dict[str, int] = field(default_factory=dict)
    service_us: list[float] = field(default_factory=list)
    database_us: list[float] = field(default_factory=list)
    # Of every answer.
    waits_ms: list[float] = field(default_factory=list)

    @property
    def both_us(self) -> list[float]:
        return [service + server for service, server in zip(self.service_us, self.database_us, strict=True)]

    def forget(self) -> None:
        """What was measured so far was for warming up."""
        for figures in (self.service_us, self.database_us, self.waits_ms):
            figures.clear()

    def requests(self, name: str, how_many: int) -> list[bytes]:
        asked = [self._next(name) for _ in range(how_many)]
        return [load.request(method, path, self.subject.token, body) for method, path, body in asked]

    def _next(self, name: str) -> tuple[str, str, dict[str, Any] | None]:
        endpoint, number = ENDPOINTS[name], next(self.numbers[name])
        body = endpoint.body(number) if endpoint.body else None
        if body and name == "an order placed":
            body["customer_id"] = self.customers[customer(number)["email"]]
        return endpoint.method, endpoint.path.format(id=number + 1), body

    def seed(self) -> list[Any]:
        """Fills the store, and gives what it answered on the way and answers then."""
        answers = []
        for name, rows in SEEDED.items():
            for _ in range(rows):
                method, path, body = self._next(name)
                answer = self.subject.call(method, body, path)
                answers.append(answer)
                if body and name == "sign-up":
                    self.customers[body["email"]] = answer["data"]["customer"]["id"]
        reads = [endpoint.path for endpoint in ENDPOINTS.values() if endpoint.method == "GET"]
        return answers + [self.subject.call("GET", path=read) for read in reads]

    async def round(self, name: str, how_many: int) -> None:
        if name == "an order placed":
            async with connected(self.database.url) as run:
                self.customers = dict(await run(_CUSTOMERS))
        requests = self.requests(name, how_many)
        async with load.connected(self.subject.port, ENDPOINTS[name].status, self.connections) as send:
            await asyncio.sleep(SETTLE_SECONDS)
            before = cpu_seconds(self.subject.pid), cpu_seconds(self.database.postmaster)
            result = await send(requests)
            await asyncio.sleep(SETTLE_SECONDS)
            after = cpu_seconds(self.subject.pid), cpu_seconds(self.database.postmaster)
        service, server = ((end - start) * 1e6 / how_many for start, end in zip(before, after, strict=True))
        self.service_us.append(service)
        self.database_us.append(server)
        self.waits_ms += result.milliseconds


async def refuse_suspected(name: str, database: SubjectDatabase) -> None:
    """Orders that something speaks against cost other work than those that the figures are about."""
    async with connected(database.url) as run:
        counts = [(await run(query))[0][0] for query in (_SUSPECTED, _STOPPED, "SELECT count(*) FROM orders")]
    suspected, stopped, orders = counts
    if suspected + stopped > orders * MAX_SUSPECTED:
        raise SystemExit(f"{name}: of {orders:,} orders {suspected:,} are suspected and {stopped:,} did not go on.")
