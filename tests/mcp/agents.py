"""An agent with the official client, and a store that has something for each of its tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from msgspec.structs import replace

from lootkeep.services import canned_replies as canned_replies_service
from lootkeep.storage import emails as emails_db
from lootkeep.storage.webhooks import fan_out as fan_out_db, log as log_db
from tests.api import providers
from tests.api.commanding import GIVE, NOTCH, bought, open_server, rank
from tests.builders import STORE, new_coupon, new_customer, new_gift_card, new_product, new_ticket
from tests.world import World

URL = "http://store.test/mcp"
DELIVERY = "wh_00000000-0000-0000-0000-00000000000a"
# Arguments with which each tool finds something in the shop.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "find_orders": {},
    "order_story": {"order": "ORD-000001"},
    "why_held": {"order": 1},
    "review_queue": {},
    "try_rule": {"expression": "total > 1", "action": "flag"},
    "explain_buyer": {"customer_id": 1},
    "waiting_tickets": {},
    "read_ticket": {"ticket": "TKT-000001"},
    "draft_reply": {"ticket": 1, "canned_reply": "New key"},
    "figures": {},
    "best_sellers": {},
    "what_failed": {},
    "low_stock": {},
    "gift_card": {"gift_card_id": 1},
    "coupon": {"code": "Sale 20"},
    "unmatched_payments": {},
    "health": {},
}
CHANGES: dict[str, dict[str, Any]] = {
    "review_order": {"order": 2, "outcome": "legitimate", "notes": "Called."},
    "fulfill_order": {"order": 1, "note": "By hand."},
    "reply_to_ticket": {"ticket": 1, "message": "Hello {{ customer_name }}, here is a new key."},
    "close_ticket": {"ticket": 1},
    "resend_delivery": {"delivery_id": DELIVERY},
    "resend_gift_card": {"gift_card_id": 1},
}


class Answer(NamedTuple):
    is_error: bool
    text: str

    @property
    def data(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        assert self.is_error, self.text
        return str(self.data["code"])


class Agent(NamedTuple):
    client: Client

    async def ask(self, tool: str, **arguments: Any) -> Answer:
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert content.type == "text"
        return Answer(bool(result.is_error), content.text)

    async def names(self) -> set[str]:
        return {tool.name for tool in (await self.client.list_tools()).tools}


@asynccontextmanager
async def agent(world: World, token: str | None = None, *, mode: str = "auto") -> AsyncIterator[Agent]:
    """Over HTTP, in this process."""
    headers = {"Authorization": f"Bearer {world.token if token is None else token}"}
    async with (
        httpx2.AsyncClient(transport=httpx2.ASGITransport(world.app), headers=headers) as http,
        Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
    ):
        yield Agent(client)


class Buyer(NamedTuple):
    """Whatever a buyer, a receiver or a game server can write."""

    name: str = "Jun Park"
    username: str = "junp"
    email: str = "jun@j.example"
    ip: str = "203.0.113.9"
    browser: str = "Mozilla/5.0"
    player: str = "Notch"
    words: str = "It was used before."
    output: str = "No such player."


async def open_shop(world: World, buyer: Buyer = Buyer()) -> None:  # noqa: B008  a tuple
    """Two orders, of which the second is held, a ticket, a gift card, and one of everything that fails."""
    words = buyer.words
    server = await open_server(world)
    command = await rank(world, GIVE, name="VIP rank", stock=3)
    keys = await new_product(world, name="Dragon key", delivery_type="keys", stock=0, price="20.00")
    await new_customer(world, name=buyer.name, email=buyer.email, username=buyer.username, external_id=words[:200])
    await world.put(f"{STORE}/customers/1", {"note": words, "tags": [words[:50]]})
    checkout = {"ip_address": buyer.ip, "user_agent": buyer.browser, "device_id": "device-1"}
    await world.post("/webhooks", {"url": "https://hooks.example/bot", "events": ["*"]})
    await new_coupon(world)
    player = NOTCH | {"name": buyer.player}
    metadata = {"wish": words[:200]}
    await bought(world, command, player=player, coupon_code="sale20", metadata=metadata, **checkout)
    await server.take()
    await server.report({"id": 1, "ok": False, "output": buyer.output, "retry": False})
    hold = {"name": "All", "expression": "total > 0", "action": "verify", "mode": "on"}
    assert (await world.post("/fraud/rules", hold)).status_code == 201
    line = {"product_id": command, "quantity": 1}
    placed = await world.post(f"{STORE}/orders", {"customer_id": 1, "items": [line], "player": player, **checkout})
    assert placed.json()["data"]["order"]["status"] == "on_hold", placed.text
    assert keys["id"] == 2
    await new_ticket(world, 1, subject=words[:200], message=words, order_id=1)
    card = {"recipient_email": buyer.email, "recipient_name": buyer.name, "sender_name": buyer.name, "message": words}
    await new_gift_card(world, customer_id=1, **card)
    source = await providers.new_source(world)
    await providers.send(world, source, providers.event("charge.succeeded", providers.charge(2, amount=1)))
    await providers.work(world)
    await canned_replies_service.create(world.deps, "New key", "Hello {{ customer_name }}, about {{ product }}:")
    await _fail(world, words)


async def _fail(world: World, words: str) -> None:
    """A delivery and an e-mail that were given up."""
    over: dict[str, Any] = {"status": "failed", "finished_at": world.clock.now()}
    async with world.db.write() as tx:
        ids = iter([DELIVERY, *(f"wh_{number}" for number in range(99))])
        await fan_out_db.fan_out(tx, ids.__next__, world.clock.now())
    async with world.db.write() as tx:
        delivery = await log_db.ROWS.lock_one(tx, public_id=DELIVERY)
        assert delivery
        await log_db.ROWS.save(tx, delivery, replace(delivery, reason="answered 410", **over))
        (email, *_) = await emails_db.newest(tx, None, 1)
        await emails_db.ROWS.save(tx, email, replace(email, reason=f"550 {words}", **over))
