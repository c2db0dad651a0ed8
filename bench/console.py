"""What a page of the console costs compared with the API call behind it, as CPU of the server, in a large store.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.console`. Both are called in this process, without a
connection; on PostgreSQL the server's CPU counts too. Ends with status 1 when a page costs more than its target.
"""

import argparse
import asyncio
import json
import logging
import sys
import time
from collections.abc import Awaitable
from typing import Any
from urllib.parse import urlsplit

import httpx
import structlog
import uvloop
from rich.console import Console
from rich.table import Table

from bench import lists
from bench.readings import ENGINES, OpenStore, opened
from bench.subjects import own_seconds
from lootkeep.kernel.clock import DAY, Instant, ManualClock
from lootkeep.kernel.ids import RandomIds
from lootkeep.services import sign_in as sign_in_service
from lootkeep.storage.webhooks import fan_out as fan_out_db
from tests.builders import STORE, new_customer, new_product
from tests.console.visits import user
from tests.world import EXTERNAL, World

# Times the CPU of the API call.
TARGET = 5.0
SIZE = 1_000_000
# Each page, and the API calls that read what it shows.
PAIRS = {
    "": ("analytics/revenue", "orders?per_page=6", "fraud/dashboard", "referrals/statistics", "webhooks"),
    "/orders": ("orders?per_page=25",),
    "/orders?status=paid": ("orders?per_page=25&status=paid",),
    "/orders?sort=total": ("orders?per_page=25&sort=total",),
    f"/orders?search={lists.RARE}": (f"orders?per_page=25&search={lists.RARE}",),
    "/orders/7": ("orders/7", "orders/7/goods", "customers/7"),
    "/customers": ("customers?per_page=25",),
    "/customers/7": (
        "customers/7",
        "orders?customer_id=7",
        "support-tickets?customer_id=7",
        "gift-cards?customer_id=7",
    ),
    "/products": ("products?per_page=25",),
    "/products/7": ("products/7", "orders?product_id=7"),
    "/referrals": ("referrals/statistics", "referrals/leaderboard", "referrals/tiers", "referrals/settings"),
    "/referrals/list": ("referrals?per_page=25",),
    "/gift-cards": ("gift-cards?per_page=25", "gift-cards/statistics"),
    "/campaigns": ("email-campaigns?per_page=25",),
    "/analytics": ("analytics/revenue", "analytics/sales"),
    "/fraud": (
        "fraud/queue?per_page=25",
        "fraud/queue/today",
        "fraud/checks/{check}",
        "fraud/checks/{check}/linked",
        "orders/7",
    ),
    "/fraud/checks": ("fraud/checks?per_page=25",),
    "/fraud/checks/{check}": (
        "fraud/checks/{check}",
        "fraud/checks/{check}/reviews",
        "fraud/checks/{check}/linked",
        "orders/7",
    ),
    "/fraud/rules": ("fraud/rules", "fraud/settings"),
    "/fraud/lists": ("fraud/lists", "fraud/settings"),
    # The list opens on those that wait for an answer.
    "/tickets": ("support-tickets?per_page=25&status=open",),
    "/tickets/{ticket}": ("support-tickets/{ticket}", "customers/7"),
    "/webhooks": ("webhooks?per_page=25", "webhooks/{webhook}/deliveries?per_page=100"),
    "/webhooks/{webhook}": ("webhooks/{webhook}", "webhooks/{webhook}/deliveries?per_page=25"),
    "/events": ("events?limit=25", "webhooks/{webhook}/deliveries?per_page=25"),
}
# What is measured of the rows that are added, by the list whose first row it is.
FURNISHED = {"check": "/fraud/queue", "ticket": "/support-tickets", "webhook": "/webhooks"}
# More than a page of everything that the generated store has none of.
ENOUGH = 30


class NotAnswered(Exception):
    """A call that failed, where all have to succeed."""

    def __init__(self, path: str, status: int) -> None:
        super().__init__(f"{path} was answered with {status}")
        self.status = status


class Caller:
    """Calls the application as a server does, without one."""

    def __init__(self, world: World, store: OpenStore, headers: dict[str, str]) -> None:
        self._app: Any = world.app
        self._store = store
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def seconds(self, path: str, rounds: int) -> float:
        """The CPU of the least disturbed call, after one that fills caches."""
        await self._call(path)
        return min([await self.mean(path, 1) for _ in range(rounds)])

    async def mean(self, path: str, calls: int) -> float:
        """CPU seconds of a call, over several."""
        before = self._cpu()
        for _ in range(calls):
            await self._call(path)
        return (self._cpu() - before) / calls

    async def total(self, path: str) -> int:
        """How many rows a list has."""
        return int(json.loads(await self._call(path)).get("meta", {}).get("total", 0))

    def _cpu(self) -> float:
        return time.process_time() + (own_seconds(self._store.backend) if self._store.backend else 0.0)

    async def _call(self, path: str) -> bytes:
        status, body = await self._answer(path)
        if status != 200:
            raise NotAnswered(path, status)
        return body

    async def _answer(self, path: str) -> tuple[int, bytes]:
        parts = urlsplit(path)
        scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "asgi": {"version": "3.0"}, "method": "GET"}
        scope |= {"scheme": "http", "path": parts.path, "raw_path": parts.path.encode(), "root_path": ""}
        scope |= {"query_string": parts.query.encode(), "headers": self._headers}
        scope |= {"client": ("127.0.0.1", 1), "server": ("store.test", 80)}
        statuses: list[int] = []
        bodies: list[bytes] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            statuses.extend([message["status"]] if "status" in message else [])
            bodies.append(message.get("body", b""))

        await self._app(scope, receive, send)
        return statuses[0], b"".join(bodies)


async def furnish(world: World) -> dict[str, int]:
    """Held orders, tickets, and events on their way to a webhook, once; an id of each."""
    if not (await world.get("/fraud/queue")).json()["data"]:
        await _ok(world.put("/fraud/settings", {"fraud_action": "verify", "fraud_sensitivity_level": "high"}))
        await _ok(world.post("/webhooks", {"url": "https://hooks.example/bot", "events": ["product.updated"]}))
        product = await new_product(world)
        for number in range(1, ENOUGH + 1):
            customer = (await new_customer(world))["customer"]["id"]
            ticket = {"customer_id": customer, "subject": f"Key {number}", "message": "It was used before."}
            await _ok(world.post(f"{STORE}/support-tickets", ticket))
            await _ok(world.put(f"{STORE}/products/{product['id']}", {"description": f"The description {number}."}))
            order = {"customer_id": customer, "items": [{"product_id": product["id"], "quantity": 1}]}
            await _ok(world.post(f"{STORE}/orders", order | {"device_id": "shared", "ip_address": "203.0.113.9"}))
        async with world.db.write() as tx:
            await fan_out_db.fan_out(tx, world.deps.ids.delivery_id, world.clock.now())
    return {name: (await world.get(path)).json()["data"][0]["id"] for name, path in FURNISHED.items()}


async def _ok(call: Awaitable[httpx.Response]) -> None:
    (await call).raise_for_status()


async def measure(engine: str, location: str, size: int, rounds: int) -> list[tuple[str, float, float]]:
    store = await opened(engine, size, location)
    # The day after the last order: the figures of the last 30 days have something to sum.
    clock = ManualClock(Instant(lists.BEGIN + lists.DAYS * DAY))
    world = World(store.engine, clock=clock, ids=RandomIds(), rate_limit_per_minute=0)
    await world.begin()
    ids = await furnish(world)
    secret = await sign_in_service.start_session(world.deps, await user(world, "owner"), "127.0.0.1", "bench")
    console = Caller(world, store, {"host": "store.test", "cookie": f"lootkeep={secret}"})
    api = Caller(world, store, {"host": "store.test", "authorization": f"Bearer {world.token}"})
    results = []
    for page, calls in PAIRS.items():
        behind = [await api.seconds(f"{EXTERNAL}/{call.format_map(ids)}", rounds) for call in calls]
        path = f"/console{page.format_map(ids)}"
        results.append((path, await console.seconds(path, rounds), sum(behind)))
    await world.close()
    await store.engine.close()
    return results


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.console")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only this one")
    parser.add_argument("--size", type=int, default=SIZE, help=f"orders [{SIZE}]")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    table = Table("engine", "page", title=f"CPU in ms, {options.size:,} orders", title_justify="left")
    for name in ("page", "API", "ratio"):
        table.add_column(name, justify="right")
    is_met = True
    for engine in options.engine or ENGINES:
        location = asyncio.run(lists.generated(engine, options.size))
        for page, ours, behind in uvloop.run(measure(engine, location, options.size, options.rounds)):
            ratio = ours / behind
            is_met = is_met and ratio <= TARGET
            colour = "green" if ratio <= TARGET else "red"
            table.add_row(engine, page, f"{ours * 1e3:.2f}", f"{behind * 1e3:.2f}", f"[{colour}]{ratio:.1f}[/]")
    Console(width=120).print(table)
    return int(not is_met)


if __name__ == "__main__":
    sys.exit(main())
