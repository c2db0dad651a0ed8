"""What an order and its payment cost in a new store as it grows, in this process and in the database server.

`.venv/bin/python -m tests.servers -- .venv/bin/python -m bench.orders [--engine postgresql]`. Each order goes through
the API as a server calls it, without sockets: with its fraud check, half of the buyers referred, and is then paid.
Workers do not run. Figures are CPU milliseconds, the means over one step of orders.
"""

import argparse
import asyncio
import json
import secrets
import sys
import time
from typing import Any

import uvloop
from rich.console import Console
from rich.table import Table

from bench.subjects import LOOTKEEP, SubjectDatabase, database, own_seconds, run_command
from lootkeep.api.http.auth import Tokens
from lootkeep.api.http.metrics import Metrics
from lootkeep.deps import Deps
from lootkeep.engines import logs
from lootkeep.services import access as access_service
from lootkeep.settings import Settings
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.wiring import serving, store
from lootkeep.wiring.observation import Observation, make_lines
from lootkeep.worker.loop import Worker

STORE = "/api/store/v1"
BUYERS = 2500
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
Costs = tuple[float, float]


class Shop:
    """A store that is served by this process, over one connection."""

    def __init__(self, deps: Deps, settings: Settings, token: str, backend: int | None) -> None:
        observation = Observation(make_lines(settings))
        self._app = serving.api(deps, settings, Tokens(deps, lambda: 0), Worker(()), Metrics(), observation)
        self._headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {token}".encode())]
        self._backend = backend
        self._product = 0

    async def post(self, path: str, body: object) -> Any:
        """The data of the answer."""
        sent = json.dumps(body).encode()
        headers = [*self._headers, (b"content-type", b"application/json"), (b"content-length", b"%d" % len(sent))]
        scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": path, "raw_path": path.encode()}
        scope |= {"query_string": b"", "headers": headers, "client": ("127.0.0.1", 1), "scheme": "http"}
        answer: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Any) -> None:
            answer.append(message)

        await self._app(scope, receive, send)
        if answer[0]["status"] not in (200, 201):
            raise SystemExit(f"POST {path} was answered {answer}")
        return json.loads(answer[1]["body"])["data"]

    async def open(self) -> None:
        self._product = (await self.post(f"{STORE}/products", {"name": "VIP rank", "price": "19.99"}))["id"]
        code = None
        for number in range(BUYERS):
            person = _person(f"buyer{number}@example.com")
            answer = await self.post(f"{STORE}/customers", person | ({"referral_code": code} if code else {}))
            # Each second buyer was brought by the one before.
            code = None if code else answer["customer"]["referral_code"]

    async def sign_up(self, number: int) -> None:
        await self.post(f"{STORE}/customers", _person(f"new{number}@example.com"))

    async def place(self, number: int) -> int:
        buyer = number % BUYERS
        body = {
            "customer_id": buyer + 1,
            "items": [{"product_id": self._product, "quantity": 1}],
            "ip_address": f"198.{18 + buyer // 250}.{buyer % 250}.7",
            "billing_country": "DE",
            "user_agent": AGENT,
            "device_id": f"device-{buyer}",
            "payment": {"fingerprint": f"card-{buyer}", "country": "DE"},
        }
        return int((await self.post(f"{STORE}/orders", body))["order"]["id"])

    async def pay(self, order_id: int) -> None:
        await self.post(f"{STORE}/orders/{order_id}/pay", {"payment_method": "card"})

    def spent(self) -> Costs:
        return time.process_time(), own_seconds(self._backend) if self._backend else 0.0


def _person(email: str) -> dict[str, Any]:
    return {"email": email, "name": "Jun Park"}


async def measure(engine: str, count: int, step: int, pause: float) -> list[tuple[Costs, Costs]]:
    """For each step, what an order and its payment cost."""
    async with database(engine) as db:
        settings = settings_for(db)
        async with store.opened(settings) as deps:
            if isinstance(deps.db, PostgresDatabase):
                async with deps.db.read() as tx:
                    ((backend,),) = await tx.fetch("SELECT pg_backend_pid()", [])  # type: ignore[attr-defined]
            else:
                backend = None
            await access_service.ensure_owner(deps)
            token, _ = await access_service.create_token(deps, name="bench", scopes=["store:write"])
            shop = Shop(deps, settings, token, backend)
            await shop.open()
            steps = []
            for start in range(0, count, step):
                before = shop.spent()
                orders = [await shop.place(number) for number in range(start, start + step)]
                placed = shop.spent()
                for order in orders:
                    await shop.pay(order)
                paid = shop.spent()
                steps.append((_each(before, placed, step), _each(placed, paid, step)))
                await asyncio.sleep(pause)
            return steps


def settings_for(db: SubjectDatabase) -> Settings:
    given = {"LOOTKEEP_DATABASE_URL": db.url, "LOOTKEEP_SECRET_KEY": secrets.token_urlsafe(32)}
    run_command([LOOTKEEP, "migrate"], given)
    return Settings(
        _env_file=None,
        database_url=given["LOOTKEEP_DATABASE_URL"],
        secret_key=given["LOOTKEEP_SECRET_KEY"],
        database_connections=1,
        rate_limit_per_minute=0,
        log_level="warning",
    )


def _each(before: Costs, after: Costs, step: int) -> Costs:
    own, server = (1000 * (end - start) / step for start, end in zip(before, after, strict=True))
    return own, server


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.orders")
    parser.add_argument("--engine", choices=("sqlite", "postgresql"), default="postgresql")
    parser.add_argument("--orders", type=int, default=5000)
    parser.add_argument("--step", type=int, default=500, help="orders per figure")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds after each step, in which autovacuum may run")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    logs.configure("warning", "json")
    steps = uvloop.run(measure(options.engine, options.orders, options.step, options.pause))
    if options.json:
        print(json.dumps(steps))
        return 0
    table = Table(title=f"An order in a new store, {options.engine}, CPU ms")
    for name in ("orders before", "placed: process", "server", "paid: process", "server", "all"):
        table.add_column(name, justify="right")
    for number, (placed, paid) in enumerate(steps):
        figures = (*placed, *paid, sum(placed) + sum(paid))
        table.add_row(f"{number * options.step:,}", *(f"{figure:.2f}" for figure in figures))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
