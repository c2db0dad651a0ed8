"""The same order sent again, and orders of the past that bring their own times."""

from __future__ import annotations

import pytest

from tests.api.ordering import ORDERS, buyer, errors, place, step, stock_of
from tests.builders import new_customer, new_order, new_product, paid_order, referred
from tests.recount import maintained, recounted, sent
from tests.world import World


async def test_repeating_an_external_id_creates_no_second_order(world: World) -> None:
    await buyer(world)
    await new_product(world, stock=5)
    first = await place(world, (1, 2), external_id="shop-1")
    again = await place(world, (1, 1), external_id="shop-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["data"] == first.json()["data"]
    assert again.json()["message"] == "The order had been placed before"
    assert await stock_of(world, 1) == 3
    assert await sent(world.db) == ["order.created"]


async def test_repeating_an_external_id_returns_the_order_in_its_current_state(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1), external_id="shop-1")
    await step(world, 1, "cancel")
    assert (await place(world, (1, 1), external_id="shop-1")).json()["data"]["order"]["status"] == "cancelled"


async def test_past_orders_keep_their_times_and_send_no_events(world: World) -> None:
    friend = (await new_customer(world, created_at="2024-01-01T00:00:00Z"))["customer"]
    customer = await referred(world, friend["referral_code"], created_at="2024-01-02T00:00:00Z")
    await new_product(world, status="archived", stock=1, max_per_order=1)
    times = {"created_at": "2024-02-01T10:00:00Z", "paid_at": "2024-02-02T10:00:00Z"}
    delivered = times | {"completed_at": "2024-02-03T10:00:00Z"}
    order = await new_order(world, customer["id"], (1, 3), **delivered)
    assert order["status"] == "completed"
    assert order | delivered == order
    assert [item["fulfilled_quantity"] for item in order["items"]] == [3]
    assert await stock_of(world, 1) == 1
    assert await sent(world.db) == []
    (referral,) = (await world.get("/referrals")).json()["data"]
    assert (referral["status"], referral["first_order_at"]) == ("successful", "2024-02-02T10:00:00Z")
    assert await maintained(world.db) == await recounted(world.db)


async def test_a_past_order_that_was_only_paid_is_paid_and_its_keys_are_delivered(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    await new_product(world, name="Map", delivery_type="keys")
    times = {"created_at": "2024-02-01T10:00:00Z", "paid_at": "2024-02-02T10:00:00Z"}
    manual = await new_order(world, customer, (1, 1), **times)
    keys = await new_order(world, customer, (2, 1), **times)
    assert (manual["status"], manual["completed_at"]) == ("paid", None)
    assert (keys["status"], keys["completed_at"]) == ("completed", "2024-02-02T10:00:00Z")


async def test_an_unpaid_past_order_waits_for_its_payment(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, stock=5)
    order = await new_order(world, customer, (1, 1), created_at="2026-11-15T11:00:00Z")
    assert (order["status"], order["created_at"]) == ("pending", "2026-11-15T11:00:00Z")
    assert await stock_of(world, 1) == 4
    assert await sent(world.db) == []


async def test_an_older_order_imported_later_becomes_the_first_order(world: World) -> None:
    friend = (await new_customer(world))["customer"]
    customer = await referred(world, friend["referral_code"])
    await new_product(world)
    await paid_order(world, customer["id"], (1, 1))
    old = {"created_at": "2024-02-01T10:00:00Z", "paid_at": "2024-02-02T10:00:00Z"}
    await new_order(world, customer["id"], (1, 1), **old)
    (referral,) = (await world.get("/referrals")).json()["data"]
    assert referral["first_order_at"] == "2024-02-02T10:00:00Z"
    assert await maintained(world.db) == await recounted(world.db)


@pytest.mark.parametrize(
    ("times", "field", "sentence"),
    [
        ({"paid_at": "2024-01-02T00:00:00Z"}, "created_at", "is required when paid at is given"),
        (
            {"created_at": "2024-01-01T00:00:00Z", "completed_at": "2024-01-02T00:00:00Z"},
            "paid_at",
            "is required when completed at is given",
        ),
        (
            {"created_at": "2024-01-02T00:00:00Z", "paid_at": "2024-01-01T23:59:59Z"},
            "paid_at",
            "must not be before the step that precedes it",
        ),
        (
            {
                "created_at": "2024-01-01T00:00:00Z",
                "paid_at": "2024-01-03T00:00:00Z",
                "completed_at": "2024-01-02T00:00:00Z",
            },
            "completed_at",
            "must not be before the step that precedes it",
        ),
        ({"created_at": "2026-11-15T12:00:01Z"}, "created_at", "must not be in the future"),
        (
            {"created_at": "2024-01-01T00:00:00Z", "paid_at": "2026-11-16T00:00:00Z"},
            "paid_at",
            "must not be in the future",
        ),
    ],
)
async def test_a_past_order_with_times_out_of_order_is_rejected(
    world: World, times: dict[str, str], field: str, sentence: str
) -> None:
    await buyer(world)
    await new_product(world)
    answer = await place(world, (1, 1), **times)
    assert errors(answer) == {field: [f"The {field.replace('_', ' ')} field {sentence}."]}


@pytest.mark.parametrize("field", ["created_at", "paid_at", "completed_at"])
async def test_only_an_import_token_may_set_times(world: World, field: str) -> None:
    await buyer(world)
    await new_product(world)
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    token = await world.new_token("store:write")
    answer = await world.post(ORDERS, body | {field: "2024-01-01T00:00:00Z"}, token=token)
    assert answer.status_code == 403
    assert answer.json()["message"] == "The token lacks the required scope store:import."
