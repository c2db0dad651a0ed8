"""What is in the store before the first call of a page: a line in BEFORE where the small store does not fit."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

import httpx

from tests.docs.known import KnownValues
from tests.receiver import Receiver, answer

STORE, EXTERNAL = "/api/store/v1", "/api/external/v1"
# As pages name them; what they are in a running store is by chance.
MIRAS_CODE = "SC53PRD7"
CARDS_CODE = "7KQ2-M9XW-4TRB-7K2P"
RECEIVER = "https://shop.example"
# On the store's own list.
DISPOSABLE = "trash.example"


class PageEnvironment:
    """A running service, a receiver for its webhooks, and what the values of a page are there."""

    def __init__(self, http: httpx.AsyncClient, receiver: Receiver) -> None:
        self.http = http
        self.receiver = receiver
        self.known = KnownValues({RECEIVER: receiver.url.removesuffix("/hook")})

    async def post(self, path: str, **body: Any) -> Any:
        answered = await self.http.post(path, json=body)
        assert answered.is_success, f"POST {path}: {answered.text}"
        return answered.json()["data"]


async def nothing(_: PageEnvironment) -> None:
    """A new store."""


async def small_store(stage: PageEnvironment) -> None:
    """Two products, two customers of whom Mira brought Jun, and an order of Jun's that is paid."""
    await stage.post(f"{STORE}/products", name="Dragon Sword", price="19.99", sku="SWORD-01", stock=40)
    await stage.post(
        f"{STORE}/products",
        name="VIP rank",
        price="9.99",
        billing_type="recurring",
        billing_interval="month",
        billing_interval_count=1,
    )
    mira = await _customer(stage, "Mira Okafor", "mira@example.com")
    code = mira["customer"]["referral_code"]
    stage.known.texts[MIRAS_CODE] = code
    await _customer(stage, "Jun Park", "jun@example.org", referral_code=code)
    order = await _order(stage, 2)
    await stage.post(f"{STORE}/orders/{order}/pay")


async def sales_of_two_days(stage: PageEnvironment) -> None:
    """The small store; the two days of the page are yesterday and the day of its order."""
    await small_store(stage)
    order = (await stage.http.get("/api/external/v1/orders/1")).json()["data"]
    today = date.fromisoformat(order["paid_at"][:10])
    stage.known.texts |= {"2026-11-15": today.isoformat(), "2026-11-14": (today - timedelta(days=1)).isoformat()}


async def referral_program(stage: PageEnvironment) -> None:
    """The small store with a tier that Mira has claimed, a friend who has bought nothing, and a refused referral."""
    await small_store(stage)
    code = stage.known.texts[MIRAS_CODE]
    await _customer(stage, "Mira Again", "mira+2@example.com", referral_code=code)
    await _customer(stage, "Sam Reyes", "sam@example.net", referral_code=code)
    await _tier(stage)
    await stage.post(f"{STORE}/customers/1/claims", tier_id=1)


async def tier_to_claim(stage: PageEnvironment) -> None:
    await small_store(stage)
    await _tier(stage)


async def webhook_with_a_delivery(stage: PageEnvironment) -> None:
    """A receiver that is down for everything but tests, and so has a delivery that waits for its next attempt."""

    async def answer_tests(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if stage.receiver.received[-1].headers["X-Webhook-Event"] == "webhook.test":
            await answer(writer, 200)
        else:
            writer.write(b"HTTP/1.1 503 Down\r\nContent-Length: 16\r\n\r\nupstream is down")
            await writer.drain()

    stage.receiver.behaviour = answer_tests
    url = stage.known.text(f"{RECEIVER}/hooks/lootkeep")
    await stage.post(f"{EXTERNAL}/webhooks", url=url, events=["order.paid", "order.refunded"])
    await small_store(stage)
    await stage.receiver.wait_for(1)


async def suspicious_order(stage: PageEnvironment) -> None:
    """The small store, and a new account with disposable mail whose order a program sends: it has to be verified."""
    await small_store(stage)
    await stage.http.put(f"{EXTERNAL}/fraud/settings", json={"fraud_action": "verify"})
    await _customer(stage, "Jun Again", f"jun@{DISPOSABLE}")
    await _order(stage, 3, user_agent="curl/8.0", billing_country="KR")


async def gift_card(stage: PageEnvironment) -> None:
    """The small store, and a card for Jun."""
    await small_store(stage)
    await stage.post(
        f"{STORE}/gift-cards",
        code=CARDS_CODE,
        initial_balance="25.00",
        recipient_email="jun@example.org",
        recipient_name="Jun Park",
        expires_at="2036-11-15T10:30:00Z",
    )


async def ticket(stage: PageEnvironment) -> None:
    """The small store, and what Jun asks."""
    await small_store(stage)
    form = {"subject": "My key does not work", "message": "It was used before.", "category": "delivery"}
    await stage.post(f"{STORE}/support-tickets", customer_id=2, order_id=1, **form)


# Pages that are not named here begin with the small store.
async def key_that_is_sold(stage: PageEnvironment) -> None:
    """The small store, and an order of a key."""
    await small_store(stage)
    await stage.post(f"{STORE}/products", name="Emberfall", price="39.99", delivery_type="keys")
    await stage.post(f"{EXTERNAL}/products/3/keys", keys=["EMB9C-L4VKU-M7PDS"], batch="October", unit_cost="18.00")
    order = await _order(stage, 2, 3)
    await stage.post(f"{STORE}/orders/{order}/pay")


async def payment_without_an_order(stage: PageEnvironment) -> None:
    """The small store, an order that is not paid, and a payment that names no order and waits for its charge."""
    await small_store(stage)
    await _order(stage, 2)
    secret = "whsec_3zq8Yw0Jm5Vb"
    fields = {"provider": "stripe", "name": "Main account", "secret": secret}
    source = await stage.post(f"{EXTERNAL}/payment-sources", **fields)
    described = {"id": "pi_3Q", "amount_received": 1999, "currency": "usd", "latest_charge": "ch_3Q"}
    sent = {"id": "evt_1QzP7c", "type": "payment_intent.succeeded", "data": {"object": described}}
    body, at = json.dumps(sent).encode(), int(time.time())
    digest = hmac.digest(secret.encode(), f"{at}.".encode() + body, "sha256").hex()
    received = await stage.http.post(source["url"], content=body, headers={"stripe-signature": f"t={at},v1={digest}"})
    assert received.is_success, received.text


BEFORE: dict[str, Callable[[PageEnvironment], Awaitable[None]]] = {
    "README.md": nothing,
    "docs/quickstart.md": nothing,
    "docs/api/analytics.md": sales_of_two_days,
    "docs/api/fraud.md": suspicious_order,
    "docs/api/gift-cards.md": gift_card,
    "docs/api/keys.md": key_that_is_sold,
    "docs/api/payments.md": payment_without_an_order,
    "docs/api/referrals.md": referral_program,
    "docs/api/store-customers.md": tier_to_claim,
    "docs/api/support-tickets.md": ticket,
    "docs/api/webhooks.md": webhook_with_a_delivery,
}


async def _customer(stage: PageEnvironment, name: str, email: str, **more: Any) -> Any:
    return await stage.post(f"{STORE}/customers", name=name, email=email, **more)


async def _order(stage: PageEnvironment, customer_id: int, product_id: int = 1, **more: Any) -> int:
    placed = await stage.post(
        f"{STORE}/orders",
        customer_id=customer_id,
        items=[{"product_id": product_id, "quantity": 1}],
        ip_address="203.0.113.9",
        **more,
    )
    order_id: int = placed["order"]["id"]
    return order_id


async def _tier(stage: PageEnvironment) -> None:
    await stage.post(
        f"{EXTERNAL}/referrals/tiers",
        name="Bronze",
        description="A friend, ten percent.",
        referrals_required=1,
        reward_type="percentage_discount",
        reward_value=10,
    )
