"""Payments of customers who were blocked after they ordered: the money is recorded, and the order is held."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, HOUR
from lootkeep.services import fraud_queue as fraud_queue_service, recount as recount_service
from lootkeep.storage.schema import coupons, events, gift_cards, mails, orders, products
from tests.api.fraud.shop import review, settings
from tests.api.ordering import place, step, welcomed
from tests.builders import STORE, new_product
from tests.recount import maintained, recounted, rows
from tests.world import World

EARLIER = "2026-11-15T12:00:00Z"
BLOCK = {"status": "blocked", "status_reason": "Charged back."}


@pytest.fixture(params=[True, False], ids=["checked", "unchecked"])
async def shop(request: pytest.FixtureRequest, world: World) -> World:
    """A referred customer who ordered a key and a gift card with the welcome coupon, and is blocked since."""
    await settings(world, fraud_detection_enabled=request.param)
    customer, coupon = await welcomed(world)
    key, card = (
        await new_product(world, delivery_type="keys", stock=5),
        await new_product(world, delivery_type="gift_card"),
    )
    placed = await place(world, (key["id"], 1), (card["id"], 1), customer_id=customer, coupon_code=coupon)
    assert placed.status_code == 201, placed.text
    assert (await world.put(f"{STORE}/customers/{customer}", BLOCK)).status_code == 200
    return world


async def pay(world: World) -> dict[str, Any]:
    answer = await step(world, 1, "pay", {"transaction_id": "pi_1", "payment_method": "card"})
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def pay_again(world: World) -> Any:
    return (await pay(world))["next"]


async def announced(world: World) -> list[str]:
    others = ("product.", "customer.")
    return [row["type"] for row in await rows(world.db, events) if not row["type"].startswith(others)]


async def agree(world: World) -> None:
    assert await maintained(world.db) == await recounted(world.db)
    assert not any((await recount_service.check(world.deps)).values())


async def test_the_payment_is_recorded_and_nothing_else_happens(shop: World) -> None:
    before = await maintained(shop.db)
    paid = await pay(shop)
    assert (paid["status"], paid["paid_at"], paid["next"]) == ("on_hold", EARLIER, "wait_for_review")
    assert (paid["transaction_id"], paid["amount_due"]) == ("pi_1", "0.00")
    assert await announced(shop) == ["order.created", "fraud.held"]
    assert await rows(shop.db, gift_cards) == []
    assert [row["reserved_count"] for row in await rows(shop.db, coupons)] == [1]
    after = await maintained(shop.db)
    for kind in ("customers", "referrals", "referrers", "sales"):
        assert after[kind] == before[kind]
    await agree(shop)
    assert (await pay(shop)) == paid
    assert await announced(shop) == ["order.created", "fraud.held"]


@pytest.mark.parametrize("name", ["cancel", "fulfill"])
async def test_a_held_payment_is_neither_cancelled_nor_delivered(shop: World, name: str) -> None:
    await pay(shop)
    path = f"{STORE}/orders/1/cancel" if name == "cancel" else "/orders/1/fulfill"
    answer = await shop.post(path, {})
    assert (answer.status_code, answer.json()["message"].split(" and cannot")[0]) == (
        409,
        "Order ORD-000001 is paid and held for review,",
    )
    other = await step(shop, 1, "pay", {"transaction_id": "pi_2"})
    assert other.status_code == 409


async def test_a_release_does_all_that_a_payment_does(shop: World) -> None:
    await pay(shop)
    shop.clock.advance(HOUR)
    assert (await review(shop, 1, "legitimate")).status_code == 200
    (order,) = await rows(shop.db, orders)
    assert (order["status"], order["payment_held_at"]) == ("completed", None)
    assert (order["paid_at"], order["completed_at"]) == (shop.clock.now() - HOUR, shop.clock.now())
    assert await announced(shop) == [
        *("order.created", "fraud.held", "order.paid", "coupon.used", "gift_card.created"),
        *("order.delivered", "order.delivered", "order.completed", "fraud.reviewed"),
    ]
    assert [row["uses_count"] for row in await rows(shop.db, coupons)] == [1]
    assert len(await rows(shop.db, gift_cards)) == 1
    assert [row["status"] for row in (await shop.get("/referrals")).json()["data"]] == ["successful"]
    await agree(shop)
    assert await pay_again(shop) is None


async def test_a_fraud_stays_held_until_it_is_refunded_in_full(shop: World) -> None:
    await pay(shop)
    shop.clock.advance(HOUR)
    await review(shop, 1, "fraud")
    (order,) = await rows(shop.db, orders)
    assert order["status"] == "on_hold"
    assert await pay_again(shop) == "refund"
    partial = await step(shop, 1, "refund", {"amount": "1.00"})
    assert partial.json()["errors"] == {
        "amount": ["The amount field must be absent: a held order is refunded in full."]
    }
    refunded = (await step(shop, 1, "refund", {"reason_code": "fraud"})).json()["data"]
    assert (refunded["order"]["status"], refunded["order"]["paid_at"]) == ("refunded", EARLIER)
    assert await announced(shop) == ["order.created", "fraud.held", "fraud.reviewed", "coupon.used", "order.refunded"]
    assert await rows(shop.db, gift_cards) == []
    assert [row["status"] for row in (await shop.get("/referrals")).json()["data"]] == ["pending"]
    await agree(shop)


@pytest.mark.parametrize("when_due", ["cancel", "release"])
async def test_an_overdue_review_never_ends_a_held_payment(shop: World, when_due: str) -> None:
    await settings(shop, fraud_review_when_due=when_due)
    await pay(shop)
    shop.clock.advance(30 * DAY)
    await fraud_queue_service.end_holds(shop.deps)
    assert [row["status"] for row in await rows(shop.db, orders)] == ["on_hold"]
    await agree(shop)


async def test_a_held_payment_is_in_the_review_queue_also_after_an_earlier_review(shop: World) -> None:
    await review(shop, 1, "legitimate")
    await pay(shop)
    (case,) = (await shop.get("/fraud/queue")).json()["data"]
    assert (case["order"]["id"], case["action_taken"]) == (1, "verification_required")


async def test_a_held_payment_can_be_disputed(shop: World) -> None:
    await pay(shop)
    answer = await step(shop, 1, "dispute", {"kind": "dispute", "reason": "fraudulent"})
    assert answer.status_code == 201
    assert [row["status"] for row in await rows(shop.db, orders)] == ["on_hold"]
    await agree(shop)


async def test_the_money_of_a_customer_who_was_unblocked_is_no_longer_held(shop: World) -> None:
    customer = (await rows(shop.db, orders))[0]["customer_id"]
    await shop.put(f"{STORE}/customers/{customer}", {"status": "active"})
    assert (await pay(shop))["status"] == "completed"
    assert [row["stock"] for row in await rows(shop.db, products)] == [4, None]
    paid = ["order.paid", "coupon.used", "gift_card.created"]
    assert await announced(shop) == ["order.created", *paid, *["order.delivered"] * 2, "order.completed"]


async def test_an_erased_customer_gets_no_email_when_the_payment_is_released(world: World) -> None:
    customer, _ = await welcomed(world)
    card = await new_product(world, delivery_type="gift_card")
    assert (await place(world, (card["id"], 1), customer_id=customer)).status_code == 201
    assert (await world.delete(f"{STORE}/customers/{customer}")).status_code == 200
    held = await pay(world)
    assert (held["status"], held["next"]) == ("on_hold", "wait_for_review")
    await review(world, held["fraud"]["check_id"], "legitimate")
    assert [row["recipient_email"] for row in await rows(world.db, gift_cards)] == [None]
    assert await rows(world.db, mails) == []
    await agree(world)
