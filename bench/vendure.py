"""The same five operations in Vendure on SQLite: product list, order list, one order, a new product, a sale.

Vendure has a GraphQL API and other data, so the answers are alike, not the same: each operation asks for what the
page behind it needs. Both sides take turns on one core.
"""

import asyncio
import json
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Any

from bench import api, load
from bench.options import Options, progress
from bench.plots import Plot, Series
from bench.receiving import Receiver
from bench.report import Cell, SectionResult, Table, ratio
from bench.subjects import ROOT, Subject, cpu_seconds, database, free_port, lootkeep, ready, server

ROUNDS = 9
SEEDED = 60
CONNECTIONS = 4
SETTLE_SECONDS = 0.05
ADMIN, SHOP = "/admin-api", "/shop-api"
# Operations in a round.
SALE = "from cart to paid"
COUNTS = {"product list": 60, "order list": 40, "an order": 60, "product creation": 30, SALE: 15}

TEXT = """CPU of five operations compared with Vendure on SQLite (`bench/peers/vendure`), through its GraphQL API, with
no plugin and no worker. The answers are alike, not the same: each asks for what a page needs. A product in Vendure is a
product and a variant, which takes two calls. From cart to paid is a guest who puts two lines into the cart and pays:
seven calls there, three here (sign-up, order, payment), with fraud detection."""

_ORDER = """id code state total currencyCode createdAt customer { id emailAddress firstName }
    lines { id quantity unitPrice linePrice productVariant { id name sku } }"""
_PRODUCTS = """{ products(options: {take: 15}) { totalItems items { id name slug description createdAt updatedAt
    variants { id name sku price currencyCode stockLevel } } } }"""
_FAILED = "__typename ... on ErrorResult { message }"
SETUP = (
    'mutation { createZone(input: {name: "World"}) { id } }',
    'mutation { createCountry(input: {code: "KR", enabled: true, translations: [{languageCode: en, name: "Korea"}]})'
    " { id } }",
    "mutation { addMembersToZone(zoneId: 1, memberIds: [1]) { id } }",
    "mutation { updateChannel(input: {id: 1, defaultTaxZoneId: 1, defaultShippingZoneId: 1, pricesIncludeTax: true})"
    " { __typename } }",
    'mutation { createTaxCategory(input: {name: "Goods", isDefault: true}) { id } }',
    'mutation { createTaxRate(input: {name: "None", enabled: true, value: 0, zoneId: 1, categoryId: 1}) { id } }',
    'mutation { createShippingMethod(input: {code: "digital", fulfillmentHandler: "manual-fulfillment", checker: {code:'
    ' "default-shipping-eligibility-checker", arguments: [{name: "orderMinimum", value: "0"}]}, calculator: {code:'
    ' "default-shipping-calculator", arguments: [{name: "rate", value: "0"}, {name: "includesTax", value: "auto"},'
    ' {name: "taxRate", value: "0"}]}, translations: [{languageCode: en, name: "Digital", description: ""}]}) { id } }',
    'mutation { createPaymentMethod(input: {code: "card", enabled: true, handler: {code: "dummy-payment-handler",'
    ' arguments: [{name: "automaticSettle", value: "true"}]}, translations: [{languageCode: en, name: "Card",'
    ' description: ""}]}) { id } }',
)


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

    async def query(self, path: str, query: str, **variables: object) -> Any:
        answer = await self.call("POST", path, {"query": query, "variables": variables})
        for value in answer.values():
            if isinstance(value, dict) and "message" in value:
                raise SystemExit(f"Vendure refused: {value}")
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


async def _sale(connection: Connection, number: int) -> None:
    await sold(connection, number, api.order(number)["items"])


async def sold(connection: Connection, number: int, lines: list[dict[str, int]]) -> None:
    customer = await connection.call("POST", f"{api.STORE}/customers", api.customer(number))
    order = api.order(number) | {"customer_id": customer["customer"]["id"], "items": lines}
    placed = await connection.call("POST", f"{api.STORE}/orders", order)
    await connection.call("POST", f"{api.STORE}/orders/{placed['order']['id']}/pay", api.payment(number))


OURS: dict[str, Operation] = {
    "product list": lambda connection, _: connection.call("GET", f"{api.EXTERNAL}/products"),
    "order list": lambda connection, _: connection.call("GET", f"{api.EXTERNAL}/orders"),
    "an order": lambda connection, _: connection.call("GET", f"{api.EXTERNAL}/orders/7"),
    "product creation": lambda connection, number: connection.call(
        "POST", f"{api.STORE}/products", api.product(number)
    ),
    "from cart to paid": _sale,
}


async def _vendure_product(connection: Connection, number: int) -> None:
    body = api.product(number)
    translation = {"languageCode": "en", "name": body["name"]}
    shown = translation | {"slug": f"dragon-sword-{number}", "description": body["description"]}
    create = "mutation($input: CreateProductInput!) { createProduct(input: $input) { id name slug description } }"
    created = await connection.query(ADMIN, create, input={"enabled": True, "translations": [shown]})
    variant = {"productId": created["createProduct"]["id"], "sku": body["sku"], "price": 1999, "stockOnHand": 1_000_000}
    add = "mutation($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id sku price } }"
    await connection.query(ADMIN, add, input=[variant | {"translations": [translation]}])


async def _vendure_sale(connection: Connection, number: int) -> None:
    first = number % (SEEDED - 1) + 1
    # A new guest: the token of the administrator is not theirs.
    connection.token = ""
    add = "mutation($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) {%s} }"
    await connection.query(SHOP, add % _FAILED, id=first, quantity=2)
    await connection.query(SHOP, add % _FAILED, id=first + 1, quantity=1)
    who = {"emailAddress": f"jun{number}@example.com", "firstName": "Jun", "lastName": "Park"}
    customer = "mutation($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) {%s} }"
    await connection.query(SHOP, customer % _FAILED, input=who)
    for step in (
        'setOrderShippingAddress(input: {streetLine1: "Main Street 1", countryCode: "KR"})',
        "setOrderShippingMethod(shippingMethodId: [1])",
        'transitionOrderToState(state: "ArrangingPayment")',
    ):
        await connection.query(SHOP, f"mutation {{ {step} {{ {_FAILED} }} }}")
    pay = (
        'mutation { addPaymentToOrder(input: {method: "card", metadata: {}}) { %s ... on Order { state code total } } }'
    )
    paid = await connection.query(SHOP, pay % _FAILED)
    assert paid["addPaymentToOrder"]["state"] == "PaymentSettled", paid


VENDURE: dict[str, Operation] = {
    "product list": lambda connection, _: connection.query(SHOP, _PRODUCTS),
    "order list": lambda connection, _: connection.query(
        ADMIN, f"{{ orders(options: {{take: 15, sort: {{createdAt: DESC}}}}) {{ totalItems items {{ {_ORDER} }} }} }}"
    ),
    "an order": lambda connection, _: connection.query(ADMIN, f"{{ order(id: 7) {{ {_ORDER} }} }}"),
    "product creation": _vendure_product,
    "from cart to paid": _vendure_sale,
}


@contextmanager
def vendure() -> Iterator[Subject]:
    port, password = free_port(), secrets.token_urlsafe(16)
    with tempfile.TemporaryDirectory() as folder:
        settings = {"PEER_DATABASE": f"{folder}/vendure.sqlite", "PEER_PORT": str(port)}
        settings |= {"PEER_USER": "bench", "PEER_PASSWORD": password}
        with server(["node", str(ROOT / "bench/peers/vendure/server.js")], settings) as process:
            subject = ready(Subject("Vendure", process.pid, port, ""), process, "/health")
            yield asyncio.run(signed_in(subject, password))


async def signed_in(subject: Subject, password: str) -> Subject:
    async with Side(subject, {}).connected() as connection:
        login = f'mutation {{ login(username: "bench", password: "{password}") {{ {_FAILED} }} }}'
        await connection.query(ADMIN, login)
        for step in SETUP:
            await connection.query(ADMIN, step)
        return Subject(subject.name, subject.pid, subject.port, connection.token)


def measure(options: Options) -> SectionResult:
    with vendure() as theirs:
        rows = asyncio.run(compare(theirs, options))
    columns = ["operation", "Lootkeep ms", "Vendure ms", "times", "half in"]
    bars: Series = {"": [(str(row[0]), float(str(row[3]))) for row in rows]}
    plot = Plot("vendure", "Operations per CPU second compared with Vendure on SQLite", "times", bars, {})
    return SectionResult([Table("CPU of an operation on SQLite", columns, rows)], [plot])


async def compare(theirs: Subject, options: Options) -> list[list[Cell]]:
    async with database("sqlite") as our_database:
        with lootkeep(our_database.url) as ours:
            sides = Side(ours, OURS), Side(theirs, VENDURE)
            for side in sides:
                await side.do("product creation", SEEDED)
                await side.do("from cart to paid", SEEDED)
            return [await compare_operation(name, sides, options) for name in COUNTS]


async def compare_operation(name: str, sides: tuple[Side, Side], options: Options) -> list[Cell]:
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
