"""A sale: 64 buyers at once of one product with a stock, of one with keys, or with one coupon, and of many products.

The service and the database server have a core each; buyers share the one of the database server.
"""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

import uvloop

from bench import load, report, subjects
from bench.options import Options, progress
from bench.report import Cell, SectionResult, verdict
from bench.subjects import LOAD_CORES, SERVER_CORE, Subject
from tests import servers

STORE, EXTERNAL = "/api/store/v1", "/api/external/v1"
BUYERS = 64
PRODUCTS = 60
# How many can be sold in a sale; more are ordered, by one for each buyer.
FULL, QUICK = 600, 64
ROUNDS = 3
MIN_SHARE = 0.6
RETRY_SECONDS = 0.05
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
SALES = ("many products", "one with a stock", "one with keys", "one coupon")

TEXT = f"""{BUYERS} buyers order at the same time, each over a connection of their own: one of {PRODUCTS} products with
a stock, the same product with a stock, the same product with keys, or any product with the same coupon. Orders are
judged by fraud detection. {BUYERS} more are ordered than can be sold: the sale ends with a stock of 0, each key is sold
once, and the coupon has exactly its uses. Orders a second up to the last piece, medians of rounds in which all take
turns; p99 of one order. The service and the database server have a core each; the service opens as many connections
to PostgreSQL as it does by default. A sale may take no fewer than {MIN_SHARE:.0%} of the orders a second over many
products."""


@dataclass(frozen=True)
class Offer:
    """What all buy, and how many there are."""

    name: str
    product_ids: list[int]
    pieces: int
    coupon: dict[str, Any] | None = None


@dataclass(frozen=True)
class SaleTimes:
    orders_per_second: float
    p99_ms: float


class Buyer:
    """A buyer with a connection: an order at a time."""

    def __init__(self, subject: Subject, customer_id: int) -> None:
        self._subject, self._customer_id = subject, customer_id

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._subject.port)

    def close(self) -> None:
        self._writer.close()

    async def buy(self, offer: Offer, product_id: int, *, is_paid: bool) -> bool:
        """False if nothing is left."""
        body = {
            "customer_id": self._customer_id,
            "items": [{"product_id": product_id, "quantity": 1}],
            "ip_address": f"198.18.{self._customer_id}.7",
            "device_id": f"device-{self._customer_id}",
            "billing_country": "DE",
            "user_agent": AGENT,
        }
        if offer.coupon:
            body["coupon_code"] = offer.coupon["code"]
        status, data = await self._post("/orders", body)
        if status == 422:
            return False
        assert status == 201, (status, data)
        if is_paid:
            status, data = await self._post(f"/orders/{data['data']['order']['id']}/pay", {"payment_method": "card"})
            assert status == 200, (status, data)
        return True

    async def _post(self, path: str, body: object) -> tuple[int, Any]:
        self._writer.write(load.request("POST", STORE + path, self._subject.token, body))
        head = (await self._reader.readuntil(load.HEAD_END)).lower()
        length = int(head.split(load.LENGTH, 1)[1].split(b"\r\n", 1)[0])
        status, answer = int(head[9:12]), json.loads(await self._reader.readexactly(length))
        if status != 503:
            return status, answer
        # Too many wait, and this request was not started.
        await asyncio.sleep(RETRY_SECONDS)
        return await self._post(path, body)


class Shop:
    """A store with its buyers, over the API."""

    def __init__(self, subject: Subject, pieces: int) -> None:
        self._subject, self._pieces = subject, pieces
        self._numbers = itertools.count(1)
        self.buyers: list[Buyer] = []

    def open(self) -> None:
        self._subject.call("PUT", {"fraud_action": "flag"}, f"{EXTERNAL}/fraud/settings")
        for number in range(BUYERS):
            person = {"email": f"buyer{number}@example.com", "name": "Jun Park"}
            customer = self._subject.call("POST", person, f"{STORE}/customers")["data"]["customer"]
            self.buyers.append(Buyer(self._subject, customer["id"]))

    def offer(self, name: str) -> Offer:
        """With new products, so that no sale sees what another has left."""
        if name == "one with a stock":
            return Offer(name, [self._product(stock=self._pieces)], self._pieces)
        if name == "one with keys":
            product = self._product(delivery_type="keys", stock=0)
            keys = [f"key-{product}-{number}" for number in range(self._pieces)]
            self._subject.call("POST", {"keys": keys}, f"{EXTERNAL}/products/{product}/keys")
            return Offer(name, [product], self._pieces)
        products = [self._product(stock=10 * self._pieces) for _ in range(PRODUCTS)]
        if name == "many products":
            return Offer(name, products, self._pieces + BUYERS)
        fields = {"discount_type": "percentage", "discount_value": "10", "max_uses": self._pieces}
        fields |= {"max_uses_per_customer": 10 * self._pieces}
        return Offer(name, products, self._pieces, self._subject.call("POST", fields, f"{EXTERNAL}/coupons")["data"])

    async def run(self, offer: Offer, *, is_paid: bool) -> SaleTimes:
        """Each buyer orders until nothing is left."""
        products: Iterator[int] = itertools.cycle(offer.product_ids)
        orders = iter(range(self._pieces + BUYERS))
        sold: list[tuple[float, float]] = []

        async def buy(buyer: Buyer) -> None:
            for _ in orders:
                started = time.perf_counter()
                if await buyer.buy(offer, next(products), is_paid=is_paid):
                    sold.append((started, time.perf_counter()))

        for buyer in self.buyers:
            await buyer.open()
        began = time.perf_counter()
        await asyncio.gather(*map(buy, self.buyers))
        for buyer in self.buyers:
            buyer.close()
        self._check(offer, len(sold), is_paid=is_paid)
        seconds = max(end for _, end in sold) - began
        p99 = quantiles((end - start for start, end in sold), n=100)[-1]
        return SaleTimes(len(sold) / seconds, 1000 * p99)

    def _check(self, offer: Offer, sold: int, *, is_paid: bool) -> None:
        """Exact to the last piece."""
        assert sold == offer.pieces, (offer.name, sold, offer.pieces)
        if offer.coupon:
            coupon = self._subject.call("GET", path=f"{EXTERNAL}/coupons/{offer.coupon['id']}")["data"]
            assert (coupon["uses_count"], coupon["state"]) == (sold if is_paid else 0, "used_up"), coupon
        elif len(offer.product_ids) == 1:
            path = f"{EXTERNAL}/products/{offer.product_ids[0]}"
            assert self._subject.call("GET", path=path)["data"]["stock"] == 0
            if offer.name == "one with keys":
                of_status = {status: self._keys(path, status) for status in ("available", "assigned")}
                assert of_status == (
                    {"available": 0, "assigned": sold} if is_paid else {"available": sold, "assigned": 0}
                )

    def _keys(self, path: str, status: str) -> int:
        return int(self._subject.call("GET", path=f"{path}/keys?status={status}")["meta"]["total"])

    def _product(self, **fields: Any) -> int:
        body = {"name": f"Rank {next(self._numbers)}", "price": "19.99"} | fields
        return int(self._subject.call("POST", body, f"{STORE}/products")["data"]["id"])


def measure(options: Options) -> SectionResult:
    tables = [uvloop.run(_table(engine, options)) for engine in options.engines]
    return SectionResult(tables)


async def _table(engine: str, options: Options) -> report.Table:
    times: dict[tuple[str, bool], list[SaleTimes]] = {}
    async with _database(engine) as url:
        with subjects.lootkeep(url) as subject:
            shop = Shop(subject, QUICK if options.is_quick else FULL)
            shop.open()
            # The first round only prepares the statements.
            for number in range(options.rounds_or(ROUNDS) + 1):
                for is_paid in (False, True):
                    for name in SALES:
                        result = await shop.run(shop.offer(name), is_paid=is_paid)
                        progress(f"{engine}, {name}, paid: {is_paid}: {result.orders_per_second:.0f} a second")
                        if number:
                            times.setdefault((name, is_paid), []).append(result)
    rows = [_row(times, name, is_paid=is_paid) for is_paid in (False, True) for name in SALES]
    columns = [engine, "", "orders a second", "p99 ms", "of many products", ""]
    return report.Table(f"{engine}: {BUYERS} buyers at once", columns, rows)


def _row(times: dict[tuple[str, bool], list[SaleTimes]], name: str, *, is_paid: bool) -> list[Cell]:
    own, many = times[name, is_paid], times[SALES[0], is_paid]
    share = report.ratio([it.orders_per_second for it in own], [it.orders_per_second for it in many]).median
    row: list[Cell] = [name, "placed and paid" if is_paid else "placed"]
    row += [median(it.orders_per_second for it in own), median(it.p99_ms for it in own), share]
    return [*row, verdict(is_met=share >= MIN_SHARE)]


@asynccontextmanager
async def _database(engine: str) -> AsyncIterator[str]:
    """On PostgreSQL with a server on another core than the service."""
    if engine == "sqlite":
        async with subjects.database(engine) as database:
            yield database.url
        return
    core = (LOAD_CORES or [SERVER_CORE])[-1]
    with servers.postgres(servers.POSTGRES_OPTIONS, ["taskset", "-c", str(core)]) as url:
        yield url
