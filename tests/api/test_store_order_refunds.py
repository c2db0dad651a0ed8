"""Partial and full refunds of an order."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.schema import customers
from tests.api.ordering import LATER, buyer, errors, place, step
from tests.builders import new_product, paid_order
from tests.recount import maintained, recounted, rows, sent
from tests.world import World


async def test_an_order_is_refunded_in_part_and_then_in_full(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    world.clock.advance(MINUTE)
    part = await step(world, 1, "refund", {"amount": "5.00", "reason": "one key was used"})
    (between,) = await rows(world.db, customers)
    refunded = (await step(world, 1, "refund", {})).json()["data"]
    (after,) = await rows(world.db, customers)
    assert (part.status_code, part.json()["message"]) == (200, "Order refunded successfully")
    assert part.json()["data"]["refund"] == {
        "id": 1,
        "amount": "5.00",
        "payment_amount": "5.00",
        "gift_card_amount": "0.00",
        "unreturned_amount": "0.00",
        "unrecovered_amount": "0.00",
        "reason": "one key was used",
        "reason_code": None,
        "created_at": LATER,
    }
    order = part.json()["data"]["order"]
    assert (order["status"], order["refunded_total"], order["refunded_at"]) == ("partially_refunded", "5.00", LATER)
    assert (refunded["order"]["status"], refunded["order"]["refunded_total"]) == ("refunded", "20.00")
    assert (refunded["refund"]["amount"], refunded["refund"]["reason"]) == ("15.00", None)
    assert (between["orders_count"], between["total_spent"]) == (1, 1500)
    assert (after["orders_count"], after["total_spent"]) == (0, 0)


async def test_refunding_exactly_the_total_is_a_full_refund(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    assert (await step(world, 1, "refund", {"amount": 20})).json()["data"]["order"]["status"] == "refunded"


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({"amount": "15.01"}, "amount", "The amount field must not be greater than 15.00, what is left."),
        ({"amount": 0}, "amount", "The amount field must be at least 0.01."),
        ({"amount": "-1"}, "amount", "The amount field must be at least 0.01."),
        ({"amount": 1.001}, "amount", "The amount field must be a number with at most two decimals."),
        ({"reason": "x" * 2001}, "reason", "The reason field must not be greater than 2000 characters."),
    ],
)
async def test_a_bad_refund_is_rejected_and_refunds_nothing(
    world: World, body: dict[str, Any], field: str, sentence: str
) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    await step(world, 1, "refund", {"amount": "5.00"})
    assert errors(await step(world, 1, "refund", body)) == {field: [sentence]}
    assert (await sent(world.db)).count("order.refunded") == 1
    assert await maintained(world.db) == await recounted(world.db)


async def test_a_free_order_cannot_be_refunded(world: World) -> None:
    await buyer(world)
    await new_product(world, price=0)
    await place(world, (1, 1))
    answer = await step(world, 1, "refund")
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "nothing_to_refund",
        "message": "Order ORD-000001 was free: there is nothing to refund.",
    }


async def test_a_refund_takes_back_only_its_own_order(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    for _ in range(2):
        await paid_order(world, customer, (1, 1))
    await step(world, 2, "refund")
    (row,) = await rows(world.db, customers)
    assert (row["orders_count"], row["total_spent"]) == (1, 2000)
    assert await maintained(world.db) == await recounted(world.db)
