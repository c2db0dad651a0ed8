"""How orders reserve and release stock."""

from __future__ import annotations

from tests.api.ordering import OUT_OF_STOCK, buyer, errors, place, step, stock_of
from tests.builders import STORE, new_product, paid_order
from tests.world import World


async def test_stock_is_reserved_by_an_order_and_released_by_its_cancellation(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    await place(world, (1, 1), (1, 3))
    reserved = await stock_of(world, 1)
    refused = await place(world, (1, 2))
    await step(world, 1, "cancel")
    assert reserved == 1
    assert errors(refused) == {"items.0.quantity": [OUT_OF_STOCK]}
    assert await stock_of(world, 1) == 5


async def test_stock_that_was_sold_does_not_come_back_with_a_refund(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, stock=5)
    await paid_order(world, customer, (1, 2))
    await step(world, 1, "refund")
    assert await stock_of(world, 1) == 3


async def test_unlimited_stock_stays_unlimited(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 100_000))
    await step(world, 1, "cancel")
    assert await stock_of(world, 1) is None


async def test_cancelling_an_order_of_unlimited_stock_adds_nothing_to_a_stock_set_later(
    world: World,
) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 2))
    await world.put(f"{STORE}/products/1", {"stock": 7})
    await step(world, 1, "cancel")
    assert await stock_of(world, 1) == 7


async def test_when_one_line_is_out_of_stock_the_others_are_not_reserved(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    await new_product(world, name="Map", stock=0)
    await place(world, (1, 5), (2, 1))
    assert await stock_of(world, 1) == 5
