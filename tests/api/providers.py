"""Plays the payment providers: events in the form of their public API definitions, signed as they sign."""

from __future__ import annotations

import hmac
import json
from typing import Any

import httpx

from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND
from lootkeep.worker.payments import PaymentWorker
from tests.builders import new_customer, new_order, new_product
from tests.world import World

SECRET = "whsec_3zq8Yw0Jm5VbTn7c"
STRIPE = {"provider": "stripe", "name": "Main account", "secret": SECRET}
CARD = {
    "fingerprint": "Xt5EWLLDS7FJjR1c",
    "country": "FR",
    "funding": "prepaid",
    "three_d_secure": {"result": "authenticated"},
}


# What a field of an event may hold instead.
HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 10**30, "", "\0", "x" * 300, "ORD-1", "１２３", "9" * 18, "-1"),
    *([], [[]], {}, {"id": {}}),
)


async def new_source(world: World, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/payment-sources", STRIPE | fields)
    assert answer.status_code == 201, answer.text
    source: dict[str, Any] = answer.json()["data"]
    return source


async def an_order(world: World, price: str = "20.00", **fields: Any) -> int:
    """The id of an order of a new customer."""
    customer = (await new_customer(world))["customer"]
    product = await new_product(world, price=price)
    return int((await new_order(world, customer["id"], (product["id"], 1), **fields))["id"])


def event(kind: str, described: dict[str, Any], number: int = 1, **fields: Any) -> dict[str, Any]:
    created = fields.pop("created", 1_794_743_990 + number)
    return {"id": f"evt_{number}", "object": "event", "type": kind, "created": created, "livemode": True} | {
        "data": {"object": described},
        **fields,
    }


def charge(order_id: int | str | None = 1, amount: int = 2000, **fields: Any) -> dict[str, Any]:
    return {
        "id": "ch_1",
        "object": "charge",
        "amount": amount,
        "amount_refunded": 0,
        "captured": True,
        "currency": "usd",
        "payment_intent": "pi_1",
        "billing_details": {"email": "Payer@pay.example"},
        "metadata": {} if order_id is None else {"order_id": str(order_id)},
        "payment_method_details": {"type": "card", "card": CARD},
    } | fields


def intent(order_id: int | str | None = 1, amount: int = 2000, **fields: Any) -> dict[str, Any]:
    return {
        "id": "pi_1",
        "object": "payment_intent",
        "amount": amount,
        "amount_received": amount,
        "currency": "usd",
        "latest_charge": "ch_1",
        "metadata": {} if order_id is None else {"order_id": str(order_id)},
        "payment_method_types": ["card"],
    } | fields


def dispute(status: str = "needs_response", **fields: Any) -> dict[str, Any]:
    return {
        "id": "dp_1",
        "object": "dispute",
        "amount": 2000,
        "currency": "usd",
        "charge": "ch_1",
        "payment_intent": "pi_1",
        "reason": "fraudulent",
        "status": status,
        "metadata": {},
    } | fields


WARNING = {
    "id": "issfr_1",
    "object": "radar.early_fraud_warning",
    "charge": "ch_1",
    "payment_intent": "pi_1",
    "fraud_type": "made_with_stolen_card",
    "actionable": True,
}


def signature(world: World, body: bytes, secret: str = SECRET, *, seconds_off: int = 0) -> str:
    at = world.clock.now() // SECOND + seconds_off
    return f"t={at},v1={hmac.digest(secret.encode(), f'{at}.'.encode() + body, 'sha256').hex()}"


async def send_bytes(world: World, url: str, body: bytes, header: str | None) -> httpx.Response:
    headers: dict[str, Any] = {"content-type": "application/json"} | (
        {} if header is None else {"stripe-signature": header.encode()}
    )
    return await world.http.post(url, content=body, headers=headers)


async def send(world: World, source: dict[str, Any], sent: dict[str, Any]) -> None:
    """An event that is received."""
    body = json.dumps(sent).encode()
    answer = await send_bytes(world, source["url"], body, signature(world, body))
    assert (answer.status_code, answer.json()) == (200, {"success": True, "data": {"received": True}})


async def work(world: World) -> None:
    """Applies what is due."""
    worker = PaymentWorker(world.deps, Wakeup())
    while await worker.run_once():
        pass


async def events(world: World, **filters: Any) -> list[dict[str, Any]]:
    """The oldest first."""
    answer = await world.get("/payment-events", params={"order": "asc", "per_page": 100, **filters})
    shown: list[dict[str, Any]] = answer.json()["data"]
    return shown


async def results(world: World) -> list[tuple[str, str | None]]:
    """Status and reason of every event."""
    return [(row["status"], row["reason"]) for row in await events(world)]


async def order(world: World, order_id: int = 1) -> dict[str, Any]:
    shown: dict[str, Any] = (await world.get(f"/orders/{order_id}")).json()["data"]
    return shown


PAID = event("charge.succeeded", charge())
REFUNDED = event("charge.refunded", charge(amount_refunded=2000), 2)
DISPUTED = event("charge.dispute.created", dispute(), 3)
WON = event("charge.dispute.closed", dispute("won"), 4)
WARNED = event("radar.early_fraud_warning.created", WARNING, 5)
PART = event("charge.refunded", charge(amount_refunded=500), 6)


async def apply(world: World, *sent_events: dict[str, Any]) -> None:
    """All to one new source, then everything that is due."""
    source = await new_source(world)
    for it in sent_events:
        await send(world, source, it)
    await work(world)
