"""Cancelling an order, and every step in every state."""

from __future__ import annotations

from typing import get_args

import pytest

from lootkeep.domain.orders import ALLOWED, OrderStatus, OrderStep
from lootkeep.kernel.clock import MINUTE
from tests.api.ordering import LATER, LEAD_TO, buyer, place, step
from tests.builders import new_order, new_product
from tests.recount import maintained, recounted, sent
from tests.world import World

OPERATIONS: dict[OrderStep, tuple[str, OrderStatus]] = {
    "pay": ("paid", "paid"),
    "cancel": ("cancelled", "cancelled"),
    "refund": ("refunded", "refunded"),
}


# --- cancelling


async def test_a_cancelled_order_shows_its_reason(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    world.clock.advance(MINUTE)
    answer = await step(world, 1, "cancel", {"reason": "never paid"})
    order = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Order cancelled successfully")
    assert (order["status"], order["cancel_reason"]) == ("cancelled", "never paid")
    assert (order["cancelled_at"], order["updated_at"], order["paid_at"]) == (LATER, LATER, None)
    assert await sent(world.db) == ["order.created", "order.cancelled"]
    assert await maintained(world.db) == await recounted(world.db)


# --- every step in every state


def test_every_status_has_steps_that_lead_to_it() -> None:
    assert set(LEAD_TO) == set(get_args(OrderStatus))


@pytest.mark.parametrize("status", get_args(OrderStatus))
async def test_each_step_succeeds_where_it_is_allowed_and_is_a_conflict_elsewhere(
    world: World, status: OrderStatus
) -> None:
    customer = await buyer(world)
    await new_product(world)
    for name, (operation, reached) in OPERATIONS.items():
        order = await new_order(world, customer, (1, 1))
        await LEAD_TO[status](world, order["id"])
        before = await sent(world.db)
        answer = await step(world, order["id"], name)
        if status in ALLOWED[name]:
            data = answer.json()["data"]
            assert (answer.status_code, data.get("order", data)["status"]) == (200, reached)
            continue
        assert (answer.status_code, answer.json()["error"], answer.json()["code"]) == (
            409,
            "Conflict",
            f"order_{status}",
        )
        is_now = status.replace("_", " ")
        assert answer.json()["message"] == f"Order {order['order_number']} is {is_now} and cannot be {operation}."
        assert await sent(world.db) == before


@pytest.mark.parametrize("name", ["pay", "refund", "cancel"])
@pytest.mark.parametrize("order_id", [7, 9223372036854775807])
async def test_a_step_of_an_unknown_order_is_not_found(world: World, name: str, order_id: int) -> None:
    answer = await step(world, order_id, name)
    assert answer.status_code == 404
    assert answer.json()["message"] == "Order not found."
