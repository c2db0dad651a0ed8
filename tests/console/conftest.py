"""A store with something on every page."""

from __future__ import annotations

import pytest

from tests.builders import new_customer, new_product, new_ticket, paid_order
from tests.console.visits import new_delivery
from tests.world import World


@pytest.fixture
async def store(world: World) -> World:
    """One customer, one paid order, one open ticket, one webhook with a delivery that waits."""
    customer = (await new_customer(world, name="Jun Park", email="jun@park.example"))["customer"]
    product = await new_product(world)
    await paid_order(world, customer["id"], (product["id"], 2))
    await new_ticket(world, customer["id"])
    await new_delivery(world)
    return world
