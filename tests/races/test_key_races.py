"""Keys under concurrency: no key is sold twice, none is lost, and nobody waits for a key that is there."""

from __future__ import annotations

from collections import Counter

from lootkeep.services import orders as orders_service
from lootkeep.storage.schema import order_items, orders, product_keys
from tests.builders import new_keys, new_order, new_product, paid_order, regular_customers
from tests.races.racing import AT_ONCE, ORDERS, Call, assert_all_totals_agree, race, statuses
from tests.recount import rows
from tests.world import World

KEYS = "/products/1/keys"


async def assert_each_line_has_its_keys(world: World) -> None:
    """A delivered piece has one key that no other line has; a line that waits is paid."""
    assigned = Counter(key["item_id"] for key in await rows(world.db, product_keys) if key["status"] == "assigned")
    status = {order["id"]: order["status"] for order in await rows(world.db, orders)}
    for line in await rows(world.db, order_items):
        if status[line["order_id"]] in ("paid", "completed"):
            assert assigned[line["id"]] == line["fulfilled_quantity"]
            assert (line["waiting_since"] is None) == (status[line["order_id"]] == "completed")


async def placed(world: World, count: int) -> list[Call]:
    """Orders of one key each, and the calls that pay them."""
    customers = await regular_customers(world, count)
    numbers = [(await new_order(world, customer["id"], (1, 1)))["id"] for customer in customers]
    return [(f"{ORDERS}/{number}/pay", {"transaction_id": f"t{number}"}) for number in numbers]


async def test_payments_of_the_last_keys_give_each_exactly_one(world: World) -> None:
    await new_product(world, delivery_type="keys", stock=AT_ONCE)
    calls = await placed(world, AT_ONCE)
    # Each twice: payment providers repeat their calls.
    answers = await race(world, [*calls, *calls])
    assert {answer.json()["data"]["status"] for answer in answers} == {"completed"}
    assert sorted(key["order_id"] for key in await rows(world.db, product_keys)) == list(range(1, AT_ONCE + 1))
    await assert_each_line_has_its_keys(world)
    await assert_all_totals_agree(world)


async def test_payments_and_a_withdrawal_share_the_keys(world: World) -> None:
    await new_product(world, delivery_type="keys", stock=AT_ONCE)
    calls = await placed(world, AT_ONCE)
    withdrawals: list[Call] = [
        (f"{KEYS}/withdraw", {"key_ids": list(range(first, AT_ONCE + 1, 4))}) for first in (1, 2, 2)
    ]
    middle = AT_ONCE // 2
    assert statuses(await race(world, [*calls[:middle], *withdrawals, *calls[middle:]])) == {200: AT_ONCE + 3}
    await assert_each_line_has_its_keys(world)
    await assert_all_totals_agree(world)
    # A payment may have looked for a key while the withdrawal held it.
    await orders_service.serve_all(world.deps)
    await new_keys(world, 1, AT_ONCE)
    await orders_service.serve_all(world.deps)
    assert {order["status"] for order in await rows(world.db, orders)} == {"completed"}
    await assert_each_line_has_its_keys(world)
    await assert_all_totals_agree(world)


async def test_keys_added_refunded_and_replaced_meet_payments(world: World) -> None:
    part = AT_ONCE // 4
    await new_product(world, delivery_type="keys", stock=3 * part)
    customers = await regular_customers(world, 2 * part)
    sold = [await paid_order(world, customer["id"], (1, 1)) for customer in customers]
    calls = await placed(world, part)
    key_of = {key["order_id"]: key["id"] for key in await rows(world.db, product_keys)}
    calls += [(f"{ORDERS}/{order['id']}/refund", {}) for order in sold[:part]]
    calls += [
        (
            f"/orders/{order['id']}/items/{order['items'][0]['id']}/replace-key",
            {"key_id": key_of[order["id"]], "reason": "Used."},
        )
        for order in sold[part:]
    ]
    calls += [(KEYS, {"keys": [f"NEW-{number}-{half}" for half in range(2)]}) for number in range(part)]
    outcome = statuses(await race(world, calls))
    # A key is replaced only by one that no order waits for.
    assert (outcome[201], outcome[200] + outcome[409]) == (part, 3 * part)
    assert outcome[200] >= 2 * part
    await assert_each_line_has_its_keys(world)
    await assert_all_totals_agree(world)
    assert all(order["status"] in ("completed", "refunded") for order in await rows(world.db, orders))


async def test_waiting_orders_are_served_once_by_keys_that_come_at_once(world: World) -> None:
    count = AT_ONCE // 4
    await new_product(world, delivery_type="keys", stock=count)
    calls = await placed(world, count)
    await world.post(f"{KEYS}/withdraw", {"key_ids": list(range(1, count + 1))})
    await race(world, calls)
    assert {order["status"] for order in await rows(world.db, orders)} == {"paid"}
    additions: list[Call] = [(KEYS, {"keys": [f"NEW-{number}-{half}" for half in range(2)]}) for number in range(count)]
    refunds: list[Call] = [(f"{ORDERS}/{number}/refund", {}) for number in range(1, count, 2)]
    await race(world, [*additions, *refunds])
    await assert_each_line_has_its_keys(world)
    await assert_all_totals_agree(world)
