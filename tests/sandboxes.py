"""A store and its sandbox behind one URL, as a server has them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import httpx

from lootkeep import wiring
from lootkeep.api.http.app import ModeSwitch
from lootkeep.deps import Deps
from lootkeep.domain.access import SCOPES
from lootkeep.services import access as access_service
from lootkeep.storage.engine.database import Engine
from lootkeep.storage.sandbox import SCHEMA
from lootkeep.wiring import serving
from lootkeep.wiring.observation import NOT_OBSERVED
from lootkeep.wiring.sandbox import Sandbox
from lootkeep.worker.loop import Worker
from tests.api import providers
from tests.builders import STORE, honest_buyer
from tests.world import World


class TwoStores(NamedTuple):
    """The same client with two tokens."""

    live: World
    test: World
    # What the sandbox works on.
    deps: Deps


@asynccontextmanager
async def two_stores(db: Engine, db_location: Path | str, **settings: Any) -> AsyncIterator[TwoStores]:
    url = f"sqlite:///{db_location}" if isinstance(db_location, Path) else db_location
    live = World(db, database_url=url, webhook_allow_insecure=True, **settings)
    await live.begin()
    worker = Worker(())
    async with wiring.opened_sandbox(live.deps, live.settings) as deps:
        sandbox = Sandbox(live.deps, live.settings, lambda _: None)
        make_api = partial(serving.sandbox_api, live.settings, worker, NOT_OBSERVED, live.app)
        live.app = ModeSwitch(live.app, partial(sandbox.api, make_api), lambda: None)
        live.http = httpx.AsyncClient(transport=httpx.ASGITransport(live.app), base_url="http://store.test")
        test = copy(live)
        test.token, _ = await access_service.create_token(deps, name="test", scopes=list(SCOPES))
        try:
            yield TwoStores(live, test, deps)
        finally:
            await worker.stop()
            await sandbox.close()
            await live.close()
    if isinstance(db_location, str):
        await drop_sandbox(db_location)


async def drop_sandbox(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    await connection.close()


async def fill(world: World) -> None:
    """Creates rows of every kind that a store holds."""
    mira = await _post(world, f"{STORE}/customers", email="mira@m.example", name="Mira Okafor")
    code = mira["customer"]["referral_code"]
    await _post(world, f"{STORE}/customers", email="jun@j.example", name="Jun Park", referral_code=code)
    await _post(world, f"{STORE}/customers", email="mira+2@m.example", name="Mira Again", referral_code=code)
    await _post(world, f"{STORE}/products", name="Dragon Sword", price="19.99")
    await _post(world, "/webhooks", url="http://127.0.0.1:9/hook", events=["*"], headers={"X-Api-Key": "k"})
    form = {"referrals_required": 1, "reward_type": "percentage_discount", "reward_value": 10}
    await _post(world, "/referrals/tiers", name="Bronze", **form)
    await _post(world, "/fraud/lists", name="friends", kind="email")
    await _post(world, "/fraud/rules", name="All", expression="total > 0", action="flag", mode="on")
    await _post(world, "/alerts", name="Staff", channel="email", target="me@shop.example", triggers=["backlog"])
    await order(world, 2)
    await _post(world, f"{STORE}/customers/1/claims", tier_id=1)
    monthly = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
    await _post(world, f"{STORE}/products", name="VIP", price="9.99", **monthly)
    await _post(world, f"{STORE}/subscriptions", customer_id=2, product_id=2)
    await _post(world, "/servers", name="Survival", game="minecraft")
    source = await providers.new_source(world)
    await providers.send(world, source, providers.event("charge.failed", providers.charge(None)))
    say = {"server_id": 1, "on": "paid", "text": "say {order_number}"}
    await _post(world, f"{STORE}/products", name="Hello", price="1.00", delivery_type="command", commands=[say])
    await order(world, 2, product_id=3)
    await _post(world, f"{STORE}/gift-cards", initial_balance="25.00")
    await _post(world, "/creators", name="Luna", code="LUNA", commission_percent=10)
    await _post(world, f"{STORE}/support-tickets", customer_id=2, subject="My key", message="It was used before.")
    await _post(world, "/email-campaigns", name="News", subject="News", content="<p>News</p>")


async def order(world: World, customer_id: int, product_id: int = 1) -> int:
    """Places and pays an order."""
    items = [{"product_id": product_id, "quantity": 1}]
    placed = await _post(world, f"{STORE}/orders", customer_id=customer_id, items=items, **honest_buyer(customer_id))
    order_id: int = placed["order"]["id"]
    await _post(world, f"{STORE}/orders/{order_id}/pay")
    return order_id


async def _post(world: World, path: str, **body: Any) -> Any:
    answer = await world.post(path, body)
    assert answer.is_success, f"POST {path}: {answer.text}"
    return answer.json()["data"]
