"""Every trigger of an alert is caused and reported."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from lootkeep.domain.alerts import TRIGGERS, AlertTrigger
from lootkeep.engines.emails.outbox import OutboxMailer
from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import MINUTE, SECOND
from lootkeep.services import alerts as alerts_service, fraud as fraud_service
from lootkeep.storage.engine.database import Engine
from lootkeep.worker.alerts import AlertWorker
from lootkeep.worker.deliveries import DeliveryWorker
from tests.api import providers
from tests.api.commanding import bought, survival
from tests.builders import STORE, new_customer, new_keys, new_order, new_product, new_ticket, paid_order
from tests.receiver import Receiver
from tests.worker import emailing
from tests.world import World


@pytest.fixture
async def store(db: Engine) -> AsyncIterator[World]:
    world = World(db, webhook_allow_insecure=True, rate_limit_per_minute=0)
    await world.begin()
    yield world
    await world.close()


async def place_from_a_blocked_country(world: World) -> None:
    await fraud_service.change_list(world.deps, "fraud_custom_blocked_countries", "DE", is_added=True)
    assert await place(world, billing_country="DE") == "blocked"


async def place_until_one_is_held(world: World) -> None:
    await fraud_service.change_settings(world.deps, {"fraud_action": "verify", "fraud_sensitivity_level": "high"})
    actions = [await place(world, device_id="shared") for _ in range(7)]
    assert "verification_required" in actions
    assert "blocked" not in actions


async def dispute(world: World) -> None:
    product = await new_product(world)
    order = await paid_order(world, (await new_customer(world))["customer"]["id"], (product["id"], 1))
    report = {"kind": "dispute", "reason": "fraudulent", "external_id": "case-1"}
    assert (await world.post(f"{STORE}/orders/{order['id']}/dispute", report)).is_success


async def open_a_ticket(world: World) -> None:
    await new_ticket(world, (await new_customer(world))["customer"]["id"])


async def fail_for_a_quarter_of_an_hour(world: World) -> None:
    async with Receiver() as broken:
        broken.answers = [500] * 9
        await world.post("/webhooks", {"url": broken.url, "events": ["*"]})
        await new_product(world)
        worker = DeliveryWorker(world.deps, Wakeup(), delays=(300,) * 5, chance=lambda: 0)
        for _ in range(4):
            while await worker.run_once():
                pass
            world.clock.advance(6 * MINUTE)
        await worker.drain()
    # What is left is due later: this is no backlog.
    await alerts_service.look(world.deps)


async def let_an_email_wait(world: World) -> None:
    await emailing.write(world)
    world.clock.advance(16 * MINUTE)
    await alerts_service.look(world.deps)


async def fail_a_command(world: World) -> None:
    server = await survival(world)
    await bought(world)
    for seconds in (30, 120, 600, 3600, 0):
        await server.take()
        await server.report({"id": 1, "ok": False})
        world.clock.advance(seconds * SECOND)


async def let_a_server_be_silent(world: World) -> None:
    server = await survival(world)
    await server.take()
    world.clock.advance(60 * MINUTE)
    await alerts_service.look(world.deps)
    await alerts_service.look(world.deps)


async def withdraw_keys_that_are_sold(world: World) -> None:
    product = await new_product(world, delivery_type="keys", stock=0)
    # Few already, so that their stock does not become low.
    await new_keys(world, product["id"], 5)
    order = await new_order(world, (await new_customer(world))["customer"]["id"], (product["id"], 1))
    await world.post(f"/products/{product['id']}/keys/withdraw", {"key_ids": list(range(1, 6))})
    await world.post(f"{STORE}/orders/{order['id']}/pay", {})


async def sell_until_few_are_left(world: World) -> None:
    product = await new_product(world, delivery_type="keys", stock=0)
    await new_keys(world, product["id"], 6)
    await paid_order(world, (await new_customer(world))["customer"]["id"], (product["id"], 1))


async def receive_another_amount(world: World) -> None:
    await providers.an_order(world)
    await providers.apply(world, providers.event("charge.succeeded", providers.charge(amount=1500)))


CAUSES: dict[AlertTrigger, Callable[[World], Awaitable[None]]] = {
    "order_held": place_until_one_is_held,
    "order_blocked": place_from_a_blocked_country,
    "order_disputed": dispute,
    "ticket_created": open_a_ticket,
    "receiver_failing": fail_for_a_quarter_of_an_hour,
    "backlog": let_an_email_wait,
    "payment_unmatched": receive_another_amount,
    "keys_missing": withdraw_keys_that_are_sold,
    "low_stock": sell_until_few_are_left,
    "command_failed": fail_a_command,
    "server_silent": let_a_server_be_silent,
}


@pytest.mark.parametrize("trigger", TRIGGERS)
async def test_a_trigger_notifies_only_the_alerts_that_chose_it(
    store: World, receiver: Receiver, other_receiver: Receiver, trigger: AlertTrigger
) -> None:
    other_triggers = [other for other in TRIGGERS if other != trigger]
    for target, triggers in ((receiver, [trigger]), (other_receiver, other_triggers)):
        fields = {"name": "Staff", "channel": "webhook", "target": target.url, "triggers": triggers, "amount": None}
        await alerts_service.create(store.deps, fields | {"minutes": 15, "limit_per_hour": 10, "muted_until": None})
    await CAUSES[trigger](store)
    worker = AlertWorker(store.deps, Wakeup(), OutboxMailer())
    while await worker.run_once():
        pass
    await worker.drain()
    (received,) = receiver.received
    assert {notice["trigger"] for notice in received.json["notices"]} == {trigger}
    assert other_receiver.received == []


async def place(world: World, **fields: str) -> str:
    """What fraud detection does with an order of a new customer."""
    product = await new_product(world)
    customer = (await new_customer(world))["customer"]
    items = [{"product_id": product["id"], "quantity": 1}]
    body = {"customer_id": customer["id"], "items": items, "ip_address": "203.0.113.77", **fields}
    answer = await world.post(f"{STORE}/orders", body)
    action: str = answer.json()["data"]["fraud_check"]["action_taken"]
    return action
