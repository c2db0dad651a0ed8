"""A store on several machines, with a shop that orders all the time; and what must be true of it at any time."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from lootkeep import wiring
from lootkeep.deps import Deps
from lootkeep.domain.access import SCOPES
from lootkeep.services import access as access_service, fraud as fraud_service, webhooks as webhooks_service
from lootkeep.settings import Settings
from tests.builders import STORE
from tests.machines.hosts import Machines
from tests.machines.load import PATIENCE_SECONDS, Receiver, Shop, count_allowed
from tests.machines.network import Network
from tests.storage.made_up_versions import FIRST

LIMIT = 60
# More than two processes that count alone allow together.
BURST = 2 * LIMIT + 20
LIMITED_TOKENS = 4
CUSTOMERS = 20
RECEIVER_PORT = 9000


@dataclass
class Outcome:
    """What one scenario showed."""

    name: str
    acknowledged: int = 0
    # The longest time in which no order was acknowledged, from the fault on.
    pause_seconds: float = 0.0
    # From the end of the fault until everything that was acknowledged had arrived at the receiver.
    delivered_seconds: float = 0.0
    repeated: int = 0
    allowed: int | None = None
    faults: list[str] = field(default_factory=list)


@dataclass
class Store:
    """The machines, and the clients of the store that runs on them."""

    machines: Machines
    receiver: Receiver
    shop: Shop
    # Unused, with the usual limit.
    limited: Iterator[str]
    ordering: asyncio.Task[None]

    async def order(self, count: int) -> None:
        """Returns when the shop got this many more acknowledgements."""
        wanted = len(self.shop.times) + count
        await self._until(lambda: len(self.shop.times) >= wanted, "orders are not acknowledged")

    async def count_allowed(self) -> int:
        return await count_allowed(self.machines.base_url, next(self.limited), BURST)

    async def judge(self, outcome: Outcome, began: float, ended: float) -> None:
        """Compares what was acknowledged with what is stored and with what was delivered."""
        acknowledged = dict(self.shop.acknowledged)
        arrived = self.receiver.arrived
        orders = set(acknowledged.values())
        await self._until(lambda: orders <= arrived.keys(), "deliveries are missing")
        outcome.delivered_seconds = time.monotonic() - ended
        outcome.pause_seconds = _longest_pause(self.shop.times, began)
        outcome.acknowledged = sum(moment > began for moment in self.shop.times)
        outcome.repeated = sum(len(ids) - 1 for ids in arrived.values())
        stored = Counter(await self._fetch("SELECT metadata::json ->> 'shop' FROM orders"))
        lost = sorted(name for name in acknowledged if not stored[name])
        outcome.faults += [f"acknowledged, but not stored: {name}" for name in lost]
        outcome.faults += [f"stored {count} times: {name}" for name, count in stored.items() if count > 1]
        outcome.faults += [f"several ids: order {order} {ids}" for order, ids in arrived.items() if len(set(ids)) > 1]
        outcome.faults += [f"not found after its acknowledgement: {name}" for name in self.shop.unseen]

    async def release(self) -> None:
        """What the machines made is from now on a store of the first release."""
        await self._fetch(f"UPDATE schema_version SET version = '{FIRST.name}'")

    async def revision(self) -> str:
        return (await self._fetch("SELECT version FROM schema_version"))[0]

    async def _fetch(self, sql: str) -> list[str]:
        connection = await asyncpg.connect(self.machines.url(self.machines.primary), timeout=PATIENCE_SECONDS)
        rows = await connection.fetch(sql)
        await connection.close()
        return [row[0] for row in rows]

    async def _until(self, is_true: Callable[[], bool], complaint: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_true():
            if self.ordering.done():
                self.ordering.result()
            assert time.monotonic() < deadline, f"{complaint}: {dict(self.shop.answers)}\n{self.machines.logs()}"
            await asyncio.sleep(0.02)


@asynccontextmanager
async def running_store(network: Network, folder: Path) -> AsyncIterator[Store]:
    """To be called on the host `client`."""
    machines, receiver = Machines(network, folder), Receiver()
    server = await asyncio.start_server(receiver.serve, network.address("client"), RECEIVER_PORT)
    try:
        await machines.start()
        shop, limited = await _opened_shop(machines, f"http://{network.address('client')}:{RECEIVER_PORT}/")
        ordering = asyncio.create_task(shop.run())
        try:
            yield Store(machines, receiver, shop, iter(limited), ordering)
        finally:
            shop.is_open = False
            ordering.cancel()
            await asyncio.wait([ordering])
    finally:
        server.close()
        machines.kill_all()


async def _opened_shop(machines: Machines, receiver_url: str) -> tuple[Shop, list[str]]:
    """A shop with a product and customers, and tokens with the usual limit."""
    given: dict[str, Any] = machines.settings()
    async with wiring.opened(Settings(_env_file=None, **given)) as deps:
        await fraud_service.change_settings(deps, {"fraud_detection_enabled": False})
        await webhooks_service.create(deps, receiver_url, ["order.created"])
        limited = [await _token(deps, None) for _ in range(LIMITED_TOKENS)]
        token = await _token(deps, 1_000_000)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=machines.base_url, headers=headers, timeout=PATIENCE_SECONDS) as client:
        product = await client.post(f"{STORE}/products", json={"name": "VIP rank", "price": "20.00"})
        people = [{"name": f"Player {number}", "email": f"{number}@mail.example"} for number in range(CUSTOMERS)]
        customers = [await client.post(f"{STORE}/customers", json=person) for person in people]
    ids = [customer.json()["data"]["customer"]["id"] for customer in customers]
    return Shop(machines.base_url, token, ids, product.json()["data"]["id"]), limited


async def _token(deps: Deps, limit: int | None) -> str:
    secret, _ = await access_service.create_token(deps, name="machines", scopes=tuple(SCOPES), rate_limit=limit)
    return secret


def _longest_pause(times: Sequence[float], began: float) -> float:
    moments = [began, *(moment for moment in times if moment > began)]
    return max((later - earlier for earlier, later in pairwise(moments)), default=0.0)
