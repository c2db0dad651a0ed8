"""Orders read over the Store API: by their id, and by the store's own id."""

from __future__ import annotations

import pytest

from tests.builders import STORE, new_customer, new_order, new_product
from tests.world import World


async def place(world: World, *external_ids: str) -> None:
    await new_product(world)
    customer = (await new_customer(world))["customer"]
    for external_id in external_ids:
        await new_order(world, customer["id"], (1, 1), external_id=external_id)


async def test_an_order_is_read_by_its_id(world: World) -> None:
    await place(world, "cart-1", "cart-2")
    answer = await world.get(f"{STORE}/orders/2")
    assert answer.json() == (await world.get("/orders/2")).json()
    assert answer.json()["data"]["external_id"] == "cart-2"


async def test_an_unknown_order_is_not_found(world: World) -> None:
    answer = await world.get(f"{STORE}/orders/7")
    assert (answer.status_code, answer.json()["message"]) == (404, "Order not found.")


async def test_an_order_is_found_by_the_stores_own_id_and_no_other_is(world: World) -> None:
    await place(world, "cart-1", "cart-2", "cart-10")
    orders = {
        external_id: [
            order["id"] for order in (await world.get(f"{STORE}/orders?external_id={external_id}")).json()["data"]
        ]
        for external_id in ("cart-1", "cart-2", "nope", "CART-1", "cart")
    }
    assert orders == {"cart-1": [1], "cart-2": [2], "nope": [], "CART-1": [], "cart": []}


async def test_without_an_id_all_orders_are_listed_newest_first(world: World) -> None:
    await place(world, "cart-1", "cart-2")
    page = (await world.get(f"{STORE}/orders?per_page=1")).json()
    assert ([order["id"] for order in page["data"]], page["meta"]["total"]) == ([2], 2)


@pytest.mark.parametrize("query", ["external_id=", "external_id=%20", "external_id=" + "x" * 256, "external_id=%00"])
async def test_an_id_that_no_order_can_have_is_rejected(shared_world: World, query: str) -> None:
    answer = await shared_world.get(f"{STORE}/orders?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["external_id"])


async def test_reading_orders_needs_the_scope_to_read(shared_world: World) -> None:
    token = await shared_world.new_token("store:write")
    answers = [await shared_world.get(f"{STORE}/orders{path}", token=token) for path in ("/1", "?external_id=cart-1")]
    assert [answer.status_code for answer in answers] == [403, 403]
