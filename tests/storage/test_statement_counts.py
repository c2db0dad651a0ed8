"""How many statements an operation sends to PostgreSQL, its BEGIN and COMMIT included: each is a round trip."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from lootkeep.storage.engine.postgres import PostgresDatabase
from tests.conftest import empty
from tests.world import World

STORE = "/api/store/v1"
PROXY = "198.51.100.33"


class Shop:
    """A store on PostgreSQL, and what was sent to its server."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sent: list[str] = []

    async def listen(self) -> None:
        """The connection that is returned last is the next one that is taken."""
        assert isinstance(self.world.db, PostgresDatabase)
        connection = await self.world.db.pool.take()
        connection.add_query_logger(lambda record: self.sent.append(record.query))
        self.world.db.pool.give_back(connection)

    async def post(self, path: str, body: Any, **headers: str) -> tuple[Any, list[str]]:
        """The data of the answer, and the statements."""
        self.sent.clear()
        answer = await self.world.post(f"{STORE}{path}", body, headers=headers)
        # The last one is logged with the next step of the loop.
        await asyncio.sleep(0)
        assert answer.status_code in (200, 201), answer.text
        # Not those of the token, nor the notification of other processes, which is sent later for many operations.
        others = ("tokens", "pg_notify")
        return answer.json()["data"], [sql for sql in self.sent if not any(word in sql for word in others)]

    async def order(self, number: int, **fields: Any) -> tuple[int, list[str]]:
        """Two lines, one of them with a stock."""
        body = {
            "customer_id": number,
            "items": [{"product_id": 1, "quantity": 2}, {"product_id": 2, "quantity": 1}],
            "ip_address": f"198.18.0.{number}",
            "device_id": f"device-{number}",
            "billing_country": "KR",
        }
        data, sent = await self.post("/orders", body | fields)
        return data["order"]["id"], sent


def customer(number: int) -> dict[str, Any]:
    address = {"ip_address": f"198.18.0.{number}", "device_id": f"device-{number}"}
    return {"email": f"jun{number}@example.com", "name": "Jun Park", "country": "KR", **address}


def product(number: int) -> dict[str, Any]:
    stock = 1000 if number % 2 else None
    return {"name": f"Sword {number}", "sku": f"SWORD-{number}", "price": "19.99", "stock": stock, "tags": ["rare"]}


@pytest.fixture
async def shop(postgres_url: str) -> AsyncIterator[Shop]:
    db = await PostgresDatabase.open(postgres_url, 1)
    await empty(db)
    world = World(db)
    await world.begin()
    shop = Shop(world)
    await shop.listen()
    for number in (1, 2):
        await shop.post("/products", product(number))
        await shop.post("/customers", customer(number))
    await shop.order(1)
    yield shop
    await world.close()
    await db.close()


async def test_a_product_takes_four_statements(shop: Shop) -> None:
    _, sent = await shop.post("/products", product(3))
    assert len(sent) <= 4, "\n".join(sent)


async def test_a_sign_up_takes_five_statements(shop: Shop) -> None:
    _, sent = await shop.post("/customers", customer(3))
    assert len(sent) <= 5, "\n".join(sent)


async def test_placing_an_order_takes_eight_statements(shop: Shop) -> None:
    _, sent = await shop.order(2, external_id="cart-2")
    assert len(sent) <= 8, "\n".join(sent)


async def test_an_order_that_is_flagged_takes_eight_statements_as_well(shop: Shop) -> None:
    lines = [{"product_id": 1, "quantity": 2}, {"product_id": 2, "quantity": 1}]
    body = {"customer_id": 2, "items": lines, "ip_address": PROXY, "user_agent": "curl/8.0", "external_id": "cart-2"}
    data, sent = await shop.post("/orders", body)
    assert data["fraud_check"]["action_taken"] == "flagged"
    assert len(sent) <= 8, "\n".join(sent)


async def test_placing_an_order_with_an_idempotency_key_takes_nine_statements(shop: Shop) -> None:
    body = {"customer_id": 2, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "198.18.0.2"}
    _, sent = await shop.post("/orders", body, **{"Idempotency-Key": "cart-2"})
    assert len(sent) <= 9, "\n".join(sent)


async def test_paying_an_order_takes_eight_statements(shop: Shop) -> None:
    order, _ = await shop.order(2)
    await shop.post("/orders/1/pay", {"payment_method": "card"})
    _, sent = await shop.post(f"/orders/{order}/pay", {"payment_method": "card", "transaction_id": "pi_1"})
    assert len(sent) <= 8, "\n".join(sent)
