"""Paying for an order, and what is delivered with the payment."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.schema import customers
from tests.api.ordering import LATER, ORDERS, buyer, place, step
from tests.builders import new_product, paid_order
from tests.recount import maintained, recounted, rows, sent
from tests.world import World

# --- paying


async def test_a_payment_is_recorded_and_added_to_the_customers_totals(world: World) -> None:
    await buyer(world)
    await new_product(world, price="12.34")
    await place(world, (1, 2))
    world.clock.advance(MINUTE)
    answer = await step(world, 1, "pay", {"payment_method": "card", "transaction_id": "pi_1"})
    order = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Order paid successfully")
    assert (order["status"], order["paid_at"], order["updated_at"]) == ("paid", LATER, LATER)
    assert (order["payment_method"], order["transaction_id"]) == ("card", "pi_1")
    (row,) = await rows(world.db, customers)
    assert (row["orders_count"], row["total_spent"]) == (1, 2468)
    assert row["first_order_at"] == row["last_order_at"] == world.clock.now()


CARD = {"bin": "424242", "country": "KR", "funding": "credit", "three_d_secure": "passed"}


async def test_what_is_known_of_the_payment_method_is_shown_with_the_order(world: World) -> None:
    await buyer(world)
    await new_product(world)
    answer = await place(world, (1, 1), payment={"fingerprint": "fp_1", "country": "DE"})
    placed = answer.json()["data"]["order"]
    instrument = placed["payment"]["instrument_id"]
    unknown = dict.fromkeys(("bin", "funding", "three_d_secure"))
    assert placed["payment"] == unknown | {"country": "DE", "instrument_id": instrument}
    await step(world, 1, "pay", {"transaction_id": "pi_1", "payment": CARD | {"payer_email": "jun@pay.example"}})
    shown = (await world.get("/orders/1")).json()["data"]["payment"]
    assert shown == CARD | {"instrument_id": instrument}


async def test_facts_that_follow_a_payment_are_added_and_change_nothing_known(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    await step(world, 1, "pay", {"transaction_id": "pi_1", "payment": {"country": "KR"}})
    again = await step(world, 1, "pay", {"transaction_id": "pi_1", "payment": CARD | {"country": "FR"}})
    assert again.json()["data"]["payment"] == CARD | {"instrument_id": None}
    assert await sent(world.db) == ["order.created", "order.paid"]


async def test_a_payment_needs_neither_method_nor_transaction(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    order = (await step(world, 1, "pay")).json()["data"]
    assert (order["status"], order["payment_method"], order["transaction_id"]) == ("paid", None, None)


async def test_repeating_a_transaction_changes_nothing(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    paid = await paid_order(world, customer, (1, 1))
    world.clock.advance(MINUTE)
    again = await step(world, paid["id"], "pay", {"transaction_id": paid["transaction_id"], "payment_method": "cash"})
    assert (again.status_code, again.json()["data"]) == (200, paid | {"next": None})
    assert await sent(world.db) == ["order.created", "order.paid"]
    assert await maintained(world.db) == await recounted(world.db)


async def test_repeating_a_transaction_after_a_refund_returns_the_current_order(world: World) -> None:
    customer = await buyer(world)
    await new_product(world)
    paid = await paid_order(world, customer, (1, 1))
    await step(world, 1, "refund")
    again = await step(world, 1, "pay", {"transaction_id": paid["transaction_id"]})
    assert (again.status_code, again.json()["data"]["status"]) == (200, "refunded")


@pytest.mark.parametrize("body", [{"transaction_id": "another"}, {}, None])
async def test_another_payment_of_a_paid_order_is_a_conflict(world: World, body: Any) -> None:
    customer = await buyer(world)
    await new_product(world)
    await paid_order(world, customer, (1, 1))
    answer = await step(world, 1, "pay", body)
    assert answer.status_code == 409
    assert answer.json() == {
        "success": False,
        "error": "Conflict",
        "code": "order_paid",
        "message": "Order ORD-000001 is paid and cannot be paid.",
    }
    assert await sent(world.db) == ["order.created", "order.paid"]


async def test_an_order_in_another_currency_counts_as_an_order_but_not_as_revenue(world: World) -> None:
    customer = await buyer(world)
    await new_product(world, currency="EUR")
    await paid_order(world, customer, (1, 1))
    (row,) = await rows(world.db, customers)
    assert (row["orders_count"], row["total_spent"]) == (1, 0)
    await step(world, 1, "refund")
    assert await maintained(world.db) == await recounted(world.db)


async def test_an_idempotency_key_on_a_payment_gives_one_event(world: World) -> None:
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    headers = {"Idempotency-Key": "pay-1"}
    first = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    again = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.content == first.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert await sent(world.db) == ["order.created", "order.paid"]


async def test_a_refused_payment_is_not_stored_under_its_key(world: World) -> None:
    headers = {"Idempotency-Key": "pay-1"}
    before = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    await buyer(world)
    await new_product(world)
    await place(world, (1, 1))
    after = await world.post(f"{ORDERS}/1/pay", {}, headers=headers)
    assert (before.status_code, after.status_code) == (404, 200)


# --- automatic delivery


@pytest.mark.parametrize("delivery", ["keys", "file"])
async def test_keys_and_files_are_delivered_with_the_payment(world: World, delivery: str) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type=delivery)
    order = await paid_order(world, customer, (1, 3))
    assert order["status"] == "completed"
    assert order["completed_at"] == order["paid_at"] == "2026-11-15T12:00:00Z"
    assert [item["fulfilled_quantity"] for item in order["items"]] == [3]
    assert await sent(world.db) == ["order.created", "order.paid", "order.delivered", "order.completed"]


@pytest.mark.parametrize("delivery", ["command", "manual"])
async def test_manually_delivered_lines_wait_for_staff(world: World, delivery: str) -> None:
    customer = await buyer(world)
    await new_product(world, delivery_type=delivery)
    await new_product(world, name="Map", delivery_type="keys")
    order = await paid_order(world, customer, (1, 1), (2, 2))
    assert (order["status"], order["completed_at"]) == ("paid", None)
    assert [item["fulfilled_quantity"] for item in order["items"]] == [0, 2]
    assert await sent(world.db) == ["order.created", "order.paid", "order.delivered"]
