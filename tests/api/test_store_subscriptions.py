"""Subscriptions over HTTP: every state, every forbidden step, their events and payments, and races."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from lootkeep.kernel.clock import DAY, HOUR
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers as customers_table, events, orders, subscriptions
from tests.builders import STORE, new_customer, new_product, referred
from tests.world import World

SUBSCRIPTIONS = f"{STORE}/subscriptions"
MONTHLY = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1, "price": "9.99"}
BODY = {"customer_id": 1, "product_id": 1}
NOVEMBER, DECEMBER, JANUARY = "2026-11-15T12:00:00Z", "2026-12-15T12:00:00Z", "2027-01-15T12:00:00Z"
KEYS = (
    "id status customer product price currency interval interval_count current_period_start current_period_end "
    "cancel_at_period_end cancelled_at ends_at cancel_reason renewals_count latest_order_id external_id "
    "player created_at updated_at"
)
COMMON = (
    "subscription_id customer_email customer_name product_id product_name price currency interval interval_count "
    "status current_period_start current_period_end order_id"
)

_EVENTS = Query(select(events.c.type, events.c.data).order_by(events.c.id))
_ORDERS = Query(select(orders.c.status, orders.c.total, orders.c.subscription_id).order_by(orders.c.id))
_STATES = Query(select(subscriptions.c.status, subscriptions.c.renewals_count).order_by(subscriptions.c.id))
_BLOCK = Query(update(customers_table).values(status="blocked"))


async def begin(world: World, **product: Any) -> httpx.Response:
    """A subscription of customer 1 to product 1."""
    await new_customer(world, name="Jun", email="jun@a.example")
    await new_product(world, **MONTHLY | product)
    answer = await world.post(SUBSCRIPTIONS, BODY)
    assert answer.status_code == 201, answer.text
    return answer


async def renew(world: World, **options: Any) -> httpx.Response:
    return await world.post(f"{SUBSCRIPTIONS}/1/renew", **options)


async def cancel(world: World, **body: Any) -> httpx.Response:
    return await world.post(f"{SUBSCRIPTIONS}/1/cancel", body)


async def sent(world: World, prefix: str = "") -> list[tuple[str, dict[str, Any]]]:
    async with world.db.read() as tx:
        return [(kind, json.loads(data)) for kind, data in await tx.all(_EVENTS) if kind.startswith(prefix)]


async def rows(world: World, query: Query[Any]) -> list[Any]:
    async with world.db.read() as tx:
        return await tx.all(query)


def picked(record: dict[str, Any], names: str) -> list[Any]:
    return [record[name] for name in names.split()]


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_new_subscription_is_returned_with_its_paid_order(world: World) -> None:
    answer = await begin(world)
    assert answer.json()["message"] == "Subscription created successfully"
    subscription, order = answer.json()["data"].values()
    assert " ".join(subscription) == KEYS
    assert subscription["customer"] == {"id": 1, "name": "Jun", "email": "jun@a.example"}
    assert subscription["product"] == {"id": 1, "name": "VIP rank"}
    terms = picked(subscription, "id status price currency interval interval_count")
    assert terms == [1, "active", "9.99", "USD", "month", 1]
    assert picked(subscription, "current_period_start current_period_end") == [NOVEMBER, DECEMBER]
    assert picked(subscription, "cancel_at_period_end cancelled_at ends_at cancel_reason") == [False, None, None, None]
    assert picked(subscription, "renewals_count latest_order_id created_at") == [0, 1, NOVEMBER]
    assert picked(order, "id status total paid_at") == [1, "paid", "9.99", NOVEMBER]
    assert [(line["product_name"], line["quantity"]) for line in order["items"]] == [("VIP rank", 1)]
    assert await rows(world, _ORDERS) == [("paid", 999, 1)]


@pytest.mark.parametrize(("delivery", "more"), [("manual", []), ("keys", ["order.delivered", "order.completed"])])
async def test_each_period_sends_order_and_subscription_events(world: World, delivery: str, more: list[str]) -> None:
    await begin(world, delivery_type=delivery)
    await renew(world)
    created, renewed = await sent(world, "subscription.")
    assert [kind for kind, _ in await sent(world)][2:] == [
        *("order.created", "order.paid", *more, "subscription.created"),
        *("order.created", "order.paid", *more, "subscription.renewed"),
    ]
    assert " ".join(created[1]) == COMMON
    assert " ".join(renewed[1]) == f"{COMMON} renewals_count"
    parts = [1, "jun@a.example", "Jun", 1, "VIP rank", "9.99", "USD", "month", 1, "active", DECEMBER, JANUARY, 2, 1]
    assert list(renewed[1].values()) == parts


async def test_renewing_pays_the_next_period_at_the_subscriptions_price_and_name(world: World) -> None:
    await begin(world)
    changes = {"price": "99.00", "name": "Crown", "status": "archived", "billing_type": "one_time"}
    await world.put(f"{STORE}/products/1", changes)
    world.clock.advance(29 * DAY)
    answer = await renew(world)
    subscription, order = answer.json()["data"].values()
    assert (answer.status_code, answer.json()["message"]) == (200, "Subscription renewed successfully")
    assert picked(subscription, "current_period_start current_period_end") == [DECEMBER, JANUARY]
    assert picked(subscription, "renewals_count latest_order_id") == [1, 2]
    assert picked(order, "id total created_at") == [2, "9.99", "2026-12-14T12:00:00Z"]
    assert order["items"][0]["product_name"] == "VIP rank"


async def test_a_renewal_before_it_is_due_is_rejected_and_says_when_it_will_be(world: World) -> None:
    await begin(world, billing_interval="year")
    world.clock.advance(334 * DAY - 1)
    early = await renew(world)
    world.clock.advance(1)
    assert code(early) == (409, "subscription_not_due")
    assert early.json()["message"].endswith("and can be renewed from 2027-10-15T12:00:00Z on.")
    assert (await renew(world)).status_code == 200
    assert code(await renew(world)) == (409, "subscription_not_due")


async def test_a_late_renewal_leaves_no_gap_and_missed_periods_can_be_paid(world: World) -> None:
    await begin(world)
    world.clock.advance(70 * DAY)
    ends = [(await renew(world)).json()["data"]["subscription"]["current_period_end"] for _ in range(2)]
    assert ends == [JANUARY, "2027-02-15T12:00:00Z"]
    assert code(await renew(world)) == (409, "subscription_not_due")


@pytest.mark.parametrize("days_after_start", [0, 29, 30, 45])
async def test_only_one_of_64_concurrent_renewals_is_paid(world: World, days_after_start: int) -> None:
    await begin(world)
    world.clock.advance(days_after_start * DAY)
    token = await world.new_token("store:write", rate_limit=0)
    answers = await asyncio.gather(*(renew(world, token=token) for _ in range(64)))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 63}
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"subscription_not_due"}
    assert await rows(world, _ORDERS) == [("paid", 999, 1)] * 2
    assert len(await sent(world, "subscription.renewed")) == 1


async def test_a_subscription_cancelled_at_period_end_stays_active_until_then(world: World) -> None:
    await begin(world)
    world.clock.advance(HOUR)
    answer = await cancel(world, reason="bored")
    subscription = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Subscription cancelled successfully")
    assert picked(subscription, "status cancel_at_period_end cancel_reason") == ["active", True, "bored"]
    assert picked(subscription, "cancelled_at ends_at") == ["2026-11-15T13:00:00Z", DECEMBER]
    assert code(await renew(world)) == (409, "subscription_ending")
    world.clock.advance(30 * DAY)
    over = await renew(world)
    assert code(over) == (409, "subscription_expired")
    assert "ended at 2026-12-15T12:00:00Z" in over.json()["message"]
    assert await rows(world, _STATES) == [("expired", 0)]
    assert code(await renew(world)) == (409, "subscription_expired")
    assert (await cancel(world)).json()["data"]["status"] == "expired"
    assert len(await rows(world, _ORDERS)) == len(await sent(world, "subscription.cancelled")) == 1


async def test_a_subscription_cancelled_immediately_has_ended(world: World) -> None:
    await begin(world)
    world.clock.advance(HOUR)
    subscription = (await cancel(world, at_period_end=False)).json()["data"]
    assert picked(subscription, "status cancel_at_period_end cancel_reason") == ["cancelled", False, None]
    assert subscription["cancelled_at"] == subscription["ends_at"] == "2026-11-15T13:00:00Z"
    assert code(await renew(world)) == (409, "subscription_cancelled")


async def test_cancelling_again_changes_nothing_and_is_announced_once(world: World) -> None:
    await begin(world)
    first = await cancel(world, reason="bored")
    world.clock.advance(HOUR)
    again = await asyncio.gather(*(cancel(world, at_period_end=False, reason="other") for _ in range(10)))
    assert [answer.json() for answer in again] == [first.json()] * 10
    ((_, data),) = await sent(world, "subscription.cancelled")
    assert " ".join(data) == f"{COMMON} cancelled_at ends_at reason"
    assert picked(data, "status order_id cancelled_at ends_at reason") == ["active", 1, NOVEMBER, DECEMBER, "bored"]


async def test_a_concurrent_renewal_and_cancellation_are_both_applied(world: World) -> None:
    await begin(world)
    renewed, cancelled = await asyncio.gather(renew(world), cancel(world, at_period_end=False))
    assert cancelled.status_code == 200
    assert renewed.status_code == 200 or code(renewed) == (409, "subscription_cancelled")
    assert await rows(world, _STATES) == [("cancelled", 1 if renewed.status_code == 200 else 0)]


async def test_the_paid_orders_count_for_the_customer_the_product_and_the_referral(world: World) -> None:
    anna = (await new_customer(world))["customer"]
    ben = await referred(world, anna["referral_code"])
    product = await new_product(world, **MONTHLY)
    await world.post(SUBSCRIPTIONS, {"customer_id": ben["id"], "product_id": product["id"]})
    world.clock.advance(20 * DAY)
    order = (await renew(world)).json()["data"]["order"]
    async with world.db.read() as tx:
        customer = await customers_db.ROWS.get(tx, ben["id"])
    (entry,) = (await world.get("/referrals")).json()["data"]
    unchanged = await world.put(f"{STORE}/products/{product['id']}", {})
    assert customer is not None
    assert (customer.orders_count, customer.total_spent) == (2, 19_98)
    assert (entry["status"], entry["first_order_at"]) == ("successful", NOVEMBER)
    assert order["referral_code"] == anna["referral_code"]
    assert unchanged.json()["data"]["sales_count"] == 2


async def test_subscriptions_use_up_stock_and_never_oversell_it(world: World) -> None:
    await begin(world, stock=3)
    token = await world.new_token("store:write", rate_limit=0)
    answers = await asyncio.gather(*(world.post(SUBSCRIPTIONS, BODY, token=token) for _ in range(20)))
    assert Counter(answer.status_code for answer in answers) == {201: 2, 422: 18}
    rejections = [answer.json()["errors"] for answer in answers if answer.status_code == 422]
    assert rejections == [{"product_id": ["The product id field is out of stock."]}] * 18
    assert code(await renew(world)) == (422, "product_out_of_stock")
    assert await rows(world, _STATES) == [("active", 0)] * 3


@pytest.mark.parametrize(
    ("product", "sentence"),
    [
        ({}, "is not a product with recurring billing."),
        (MONTHLY | {"status": "draft"}, "is currently not for sale."),
        (MONTHLY | {"status": "archived"}, "is currently not for sale."),
    ],
)
async def test_only_active_recurring_products_are_allowed(world: World, product: dict[str, Any], sentence: str) -> None:
    await new_customer(world)
    await new_product(world, **product)
    answer = await world.post(SUBSCRIPTIONS, BODY)
    assert answer.json()["errors"] == {"product_id": [f"The product id field {sentence}"]}
    assert await rows(world, _STATES) == await rows(world, _ORDERS) == []


async def test_every_failing_field_is_reported_at_once(world: World) -> None:
    unknown = await world.post(SUBSCRIPTIONS, {"customer_id": 8, "product_id": 9})
    empty = await world.post(SUBSCRIPTIONS, {})
    assert unknown.json()["errors"] == {
        "customer_id": ["The customer id field is not a customer of this store."],
        "product_id": ["The product id field is not a product of this store."],
    }
    assert (empty.status_code, list(empty.json()["errors"])) == (422, ["customer_id", "product_id"])


async def test_a_blocked_customer_neither_subscribes_nor_renews_but_may_cancel(world: World) -> None:
    await begin(world)
    async with world.db.write() as tx:
        await tx.run(_BLOCK)
    assert code(await world.post(SUBSCRIPTIONS, BODY)) == (422, "customer_blocked")
    assert code(await renew(world)) == (422, "customer_blocked")
    assert (await cancel(world)).status_code == 200


async def test_an_unknown_subscription_and_a_missing_scope_are_rejected(world: World) -> None:
    reader = await world.new_token("store:read")
    assert code(await renew(world)) == code(await cancel(world)) == (404, "not_found")
    assert (await world.post(SUBSCRIPTIONS, {}, token=reader)).status_code == 403
    bad = await cancel(world, at_period_end="yes", reason="x" * 2001)
    assert list(bad.json()["errors"]) == ["at_period_end", "reason"]


async def test_a_product_is_deleted_only_after_its_subscriptions_have_ended(world: World) -> None:
    await begin(world)
    refused = await world.delete(f"{STORE}/products/1")
    await cancel(world)
    still_refused = await world.delete(f"{STORE}/products/1")
    world.clock.advance(30 * DAY)
    await renew(world)
    assert code(refused) == code(still_refused) == (409, "product_has_subscriptions")
    assert (await world.delete(f"{STORE}/products/1")).status_code == 200


async def test_either_a_deletion_or_concurrent_subscriptions_succeed(world: World) -> None:
    await new_customer(world)
    await new_product(world, **MONTHLY)
    deletion, *begun = await asyncio.gather(
        world.delete(f"{STORE}/products/1"), *(world.post(SUBSCRIPTIONS, BODY) for _ in range(10))
    )
    count = len(await rows(world, _STATES))
    assert Counter(answer.status_code for answer in begun) == Counter({201: count, 422: 10 - count})
    assert (deletion.status_code, count) in [(200, 0), (409, 10)]


async def test_repeating_a_request_with_a_key_renews_once(world: World) -> None:
    await begin(world)
    first, again = [await renew(world, headers={"Idempotency-Key": "december"}) for _ in range(2)]
    assert (again.json(), again.headers["Idempotent-Replayed"]) == (first.json(), "true")
    assert await rows(world, _STATES) == [("active", 1)]
