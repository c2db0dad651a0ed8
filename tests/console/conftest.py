"""Fixtures: a store with content on every page."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import MINUTE
from lootkeep.services import canned_replies as canned_replies_service, fraud as fraud_service, users as users_service
from tests.api import providers
from tests.api.campaigns import make
from tests.api.claiming import new_tier
from tests.api.commanding import open_server
from tests.builders import STORE, new_alert, new_customer, new_gift_card, new_product, new_ticket, paid_order
from tests.console.visits import SUPPORT, new_delivery
from tests.worker import bulk
from tests.world import World


@pytest.fixture
async def store(world: World) -> World:
    """One of each: customer, order, ticket, gift card, tier, coupon, campaign, delivery, alert, fraud list, server.

    A role, a canned reply, a bulk action of each area, and a payment source, with an event that fits no order and one
    that waits for its order.
    """
    customer = (await new_customer(world, name="Jun Park", email="jun@park.example"))["customer"]
    product = await new_product(world)
    await paid_order(world, customer["id"], (product["id"], 2))
    await new_ticket(world, customer["id"])
    await new_gift_card(world, customer_id=customer["id"], recipient_name="Mina", code="GIFT-CARD-7K2P")
    await new_tier(world)
    await world.post("/coupons", {"code": "SALE20", "discount_type": "percentage", "discount_value": 20})
    creator = {"name": "Luna Plays", "code": "LUNA", "commission_percent": 10, "hold_days": 0}
    await world.post("/creators", creator)
    await make(world)
    await new_delivery(world)
    await new_alert(world)
    await world.post("/fraud/lists", {"name": "blocked_ips", "kind": "ip"})
    await open_server(world)
    await users_service.create_role(world.deps, SUPPORT)
    await canned_replies_service.create(world.deps, "Used key", "Hello {{ customer_name }}, about {{ product }}:")
    source = await providers.new_source(world)
    await providers.send(world, source, providers.event("charge.succeeded", providers.charge(amount=1500)))
    await providers.send(world, source, providers.event("charge.failed", providers.charge(None), 2))
    await providers.work(world)
    await bulk.one_of_each(world)
    return world


@pytest.fixture
async def held(world: World) -> World:
    """Accounts of one device, of which the last orders are on hold. Every order has the number of its check."""
    await fraud_service.change_settings(world.deps, {"fraud_action": "verify", "fraud_sensitivity_level": "high"})
    await new_product(world)
    for number in range(1, 6):
        customer = (await new_customer(world, name=f"Buyer {number}"))["customer"]
        body = {"customer_id": customer["id"], "items": [{"product_id": 1, "quantity": 1}]} | {
            "device_id": "shared",
            "ip_address": "203.0.113.77",
        }
        assert (await world.post(f"{STORE}/orders", body)).status_code == 201
        world.clock.advance(MINUTE)
    return world
