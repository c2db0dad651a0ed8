"""A payment that is held, as the order's page and the review queue show it."""

from __future__ import annotations

from tests.api.ordering import buyer, place, step
from tests.builders import STORE, new_product
from tests.console.visits import visitor
from tests.world import World


async def test_a_held_payment_is_shown_and_released_on_the_page_of_its_order(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await place(world, (1, 1), customer_id=customer)
    await world.put(f"{STORE}/customers/{customer}", {"status": "blocked", "status_reason": "Charged back."})
    await step(world, 1, "pay", {"transaction_id": "pi_1"})
    visits = await visitor(world, "staff")
    page, queue = (await visits.get("/orders/1")).text, (await visits.get("/fraud")).text
    assert "Paid, held: refund or release" in page
    assert [button in page for button in (">Release", "Refund…", "Cancel…", "Mark fulfilled")] == [
        True,
        True,
        False,
        False,
    ]
    assert "Paid, held: refund or release" in queue
    assert "paid, held" in queue
    assert (await visits.post("/orders/1/approve", on="/orders/1")).status_code == 303
    assert "Paid, held" not in (await visits.get("/orders/1")).text
