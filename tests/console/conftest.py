"""A store with something on every page."""

from __future__ import annotations

import pytest

from tests.api.claiming import new_tier
from tests.builders import new_customer, new_gift_card, new_product, new_ticket, paid_order
from tests.world import World


@pytest.fixture
async def store(world: World) -> World:
    """One customer, one paid order, one open ticket, one gift card of 25.00, one referral tier."""
    customer = (await new_customer(world, name="Jun Park", email="jun@park.example"))["customer"]
    product = await new_product(world)
    await paid_order(world, customer["id"], (product["id"], 2))
    await new_ticket(world, customer["id"])
    await new_gift_card(world, customer_id=customer["id"], recipient_name="Mina", code="GIFT-CARD-7K2P")
    await new_tier(world)
    return world
