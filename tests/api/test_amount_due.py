"""`amount_due` is what is left to pay, wherever an order is shown."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain.orders import OrderStatus
from tests.api.ordering import LEAD_TO, buyer, place, step
from tests.builders import new_gift_card, new_product
from tests.world import World

# What is left of 40.00 when a gift card pays 25.00.
DUE: dict[OrderStatus, str] = dict.fromkeys(LEAD_TO, "0.00") | {"pending": "15.00", "on_hold": "15.00"}


@pytest.mark.parametrize("status", LEAD_TO)
async def test_the_amount_due_follows_the_status_and_is_the_same_everywhere(world: World, status: OrderStatus) -> None:
    await buyer(world)
    await new_product(world, price="20.00")
    code = (await new_gift_card(world))["code"]
    await place(world, (1, 2), gift_card_code=code, external_id="cart-1")
    await LEAD_TO[status](world, 1)
    orders = [
        (await place(world, (1, 2), external_id="cart-1")).json()["data"]["order"],
        (await world.get("/orders/1")).json()["data"],
        *(await world.get("/orders")).json()["data"],
    ]
    assert [(order["status"], order["amount_due"]) for order in orders] == [(status, DUE[status])] * 3


async def test_each_step_returns_the_amount_due(world: World) -> None:
    await buyer(world)
    await new_product(world, price="20.00", delivery_type="manual")
    due = [await placed_due(world)]
    for name, body in (("pay", {}), ("refund", {"amount": "5.00"}), ("refund", {})):
        data = (await step(world, 1, name, body)).json()["data"]
        due.append(data.get("order", data)["amount_due"])
    due.append(await placed_due(world))
    due.append((await step(world, 2, "cancel", {})).json()["data"]["amount_due"])
    assert due == ["20.00", "0.00", "0.00", "0.00", "20.00", "0.00"]


@pytest.mark.parametrize(("price", "due"), [("25.00", ("paid", "0.00")), ("25.01", ("pending", "0.01"))])
async def test_a_cent_that_a_gift_card_leaves_is_still_due(world: World, price: str, due: tuple[str, str]) -> None:
    await buyer(world)
    await new_product(world, price=price)
    order = (await place(world, (1, 1), gift_card_code=(await new_gift_card(world))["code"])).json()["data"]["order"]
    assert (order["status"], order["amount_due"]) == due


async def placed_due(world: World) -> Any:
    return (await place(world, (1, 1))).json()["data"]["order"]["amount_due"]
