"""Orders over the External API: the list, one of them, and marking it as delivered."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel.clock import DAY, MINUTE
from lootkeep.storage.schema import orders
from tests.api.ordering import LEAD_TO
from tests.api.searches import HOSTILE
from tests.builders import STORE, new_customer, new_order, new_product, paid_order
from tests.recount import maintained, outbox, recounted, rows, sent
from tests.world import World

LATER = "2026-11-15T12:01:00Z"


async def buyer(world: World, **fields: Any) -> int:
    customer_id: int = (await new_customer(world, **fields))["customer"]["id"]
    return customer_id


async def fulfill(world: World, order_id: int, *items: tuple[int, int], **body: Any) -> Any:
    if items:
        body["items"] = [{"item_id": item_id, "quantity": quantity} for item_id, quantity in items]
    return await world.post(f"/orders/{order_id}/fulfill", body)


async def ids(world: World, query: str) -> list[int]:
    answer = await world.get(f"/orders?{query}")
    assert answer.status_code == 200, answer.text
    return [order["id"] for order in answer.json()["data"]]


# --- reading


async def test_a_listed_order_equals_the_order_as_read_and_as_returned(world: World) -> None:
    product = await new_product(world, sku="VIP-1")
    order = await paid_order(world, await buyer(world), (product["id"], 2), metadata={"a": 1}, external_id="c-1")
    assert (await world.get(f"/orders/{order['id']}")).json() == {"success": True, "data": order}
    assert (await world.get("/orders")).json() == {
        "success": True,
        "data": [order],
        "meta": {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1},
    }


async def test_an_empty_list_has_one_empty_page_and_a_page_past_the_end_is_empty(world: World) -> None:
    meta = {"current_page": 1, "last_page": 1, "per_page": 15, "total": 0}
    assert (await world.get("/orders")).json() == {"success": True, "data": [], "meta": meta}
    past = (await world.get("/orders?page=7")).json()
    assert (past["data"], past["meta"]) == ([], meta | {"current_page": 7})


@pytest.mark.parametrize("order_id", [7, 9223372036854775807])
async def test_an_unknown_order_is_not_found(world: World, order_id: int) -> None:
    for answer in (await world.get(f"/orders/{order_id}"), await fulfill(world, order_id)):
        assert (answer.status_code, answer.json()["message"]) == (404, "Order not found.")


async def test_filters_find_the_orders_they_name(world: World) -> None:
    await new_product(world)
    await new_product(world, name="Key", price="5.00", delivery_type="keys")
    first, other = await buyer(world, email="one@one.example"), await buyer(world, name="Zoë Ødegård")
    await paid_order(world, first, (1, 1), billing_country="KR")
    world.clock.advance(DAY)
    await paid_order(world, other, (2, 3), external_id="cart-77")
    await new_order(world, other, (1, 1), (2, 1))
    await world.post(f"{STORE}/orders/3/pay", {"payment_method": "card", "transaction_id": "pi_9"})
    expected = {
        "": [3, 2, 1],
        "order=asc": [1, 2, 3],
        "sort=total": [3, 1, 2],
        "sort=paid_at&order=asc": [1, 2, 3],
        "status=completed": [2],
        f"customer_id={other}": [3, 2],
        "email=ONE@one.example": [1],
        "external_id=cart-77": [2],
        "external_id=cart-77&status=pending": [],
        "external_id=nope": [],
        "product_id=2": [3, 2],
        "payment_method=card": [3],
        "country=kr": [1],
        "min_total=15.01&max_total=20.00": [1],
        "from=2026-11-16&to=2026-11-16": [3, 2],
        "to=2026-11-15": [1],
        "search=ØDEG": [3, 2],
        "search=ord-000001": [1],
        "search=cart-77": [2],
        "search=pi_9": [3],
        "risk_level=high": [],
        "coupon_code=none": [],
        "per_page=2&page=2": [1],
        "unknown=1": [3, 2, 1],
    }
    assert {query: await ids(world, query) for query in expected} == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=lost", "status"),
        ("customer_id=x", "customer_id"),
        ("customer_id=0", "customer_id"),
        ("email=nobody", "email"),
        ("external_id=", "external_id"),
        ("country=XX", "country"),
        ("min_total=1.234", "min_total"),
        ("max_total=-0.01", "max_total"),
        ("min_total=2&max_total=1", "min_total"),
        ("risk_level=some", "risk_level"),
        ("sort=status", "sort"),
        ("order=up", "order"),
        ("page=0", "page"),
        ("per_page=101", "per_page"),
        ("from=2026-13-01", "from"),
        ("from=2026-11-02&to=2026-11-01", "from"),
        ("search=" + "x" * 256, "search"),
    ],
)
async def test_a_bad_value_of_a_filter_is_rejected_by_name(shared_world: World, query: str, field: str) -> None:
    answer = await shared_world.get(f"/orders?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_hostile_texts_come_back_as_they_were_sent(world: World) -> None:
    await new_product(world, name=HOSTILE.strip())
    who = await buyer(world, name=HOSTILE.strip())
    sent_fields = {"device_id": HOSTILE, "user_agent": HOSTILE, "external_id": HOSTILE, "metadata": {"x": HOSTILE}}
    order = await new_order(world, who, (1, 1), **sent_fields)
    await world.post(f"{STORE}/orders/1/pay", {"payment_method": HOSTILE, "transaction_id": HOSTILE})
    read = (await fulfill(world, order["id"], note=HOSTILE)).json()["data"]
    assert read == (await world.get("/orders/1")).json()["data"]
    assert (read["customer"]["name"], read["items"][0]["product_name"]) == (HOSTILE.strip(), HOSTILE.strip())
    assert {read[name] for name in ("external_id", "payment_method", "transaction_id", "fulfillment_note")} == {HOSTILE}
    assert read["metadata"] == {"x": HOSTILE}
    refund = (await world.post(f"{STORE}/orders/1/refund", {"reason": HOSTILE})).json()["data"]["refund"]
    await new_order(world, who, (1, 1))
    cancelled = (await world.post(f"{STORE}/orders/2/cancel", {"reason": HOSTILE})).json()["data"]
    assert (refund["reason"], cancelled["cancel_reason"]) == (HOSTILE, HOSTILE)
    for name in ("search", "payment_method", "external_id", "coupon_code"):
        answer = await world.call("GET", "/orders", params={name: HOSTILE})
        assert answer.status_code == 200
        assert answer.json()["meta"]["total"] == {"search": 2, "coupon_code": 0}.get(name, 1)


# --- delivering


async def test_everything_is_delivered_at_once_and_announced_once(world: World) -> None:
    await new_product(world)
    await paid_order(world, await buyer(world), (1, 2))
    world.clock.advance(MINUTE)
    answer = await fulfill(world, 1, note="by hand")
    order = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Order fulfilled successfully")
    assert (order["status"], order["completed_at"], order["updated_at"]) == ("completed", LATER, LATER)
    assert (order["items"][0]["fulfilled_quantity"], order["fulfillment_note"]) == (2, "by hand")
    assert await sent(world.db) == ["order.created", "order.paid", "order.delivered", "order.completed"]
    assert (await outbox(world.db))[-1][1]["completed_at"] == LATER
    assert await maintained(world.db) == await recounted(world.db)


async def test_fulfilling_a_completed_order_again_changes_and_sends_nothing(world: World) -> None:
    await new_product(world)
    await paid_order(world, await buyer(world), (1, 1))
    first = (await fulfill(world, 1)).json()["data"]
    world.clock.advance(DAY)
    for body in ({}, {"note": "again"}, {"items": [{"item_id": 1, "quantity": 1}]}):
        again = await world.post("/orders/1/fulfill", body)
        assert (again.status_code, again.json()["message"]) == (200, "The order had been fulfilled before")
        assert again.json()["data"] == first
    assert (await sent(world.db)).count("order.completed") == 1


async def test_the_rest_of_a_partly_refunded_order_is_delivered_and_announced_once(world: World) -> None:
    await new_product(world)
    await paid_order(world, await buyer(world), (1, 2))
    await world.post(f"{STORE}/orders/1/refund", {"amount": "20.00"})
    world.clock.advance(MINUTE)
    part = (await fulfill(world, 1, (1, 1))).json()
    assert (part["message"], part["data"]["completed_at"]) == ("Order fulfilled in part", None)
    rest = (await fulfill(world, 1)).json()
    assert rest["message"] == "Order fulfilled successfully"
    assert (rest["data"]["status"], rest["data"]["completed_at"]) == ("partially_refunded", LATER)
    assert await sent(world.db) == [
        *("order.created", "order.paid", "order.refunded", "order.delivered", "order.completed")
    ]
    event = (await outbox(world.db))[-1][1]
    assert (event["status"], event["completed_at"]) == ("partially_refunded", LATER)
    assert await maintained(world.db) == await recounted(world.db)
    again = (await fulfill(world, 1)).json()
    assert (again["message"], again["data"]) == ("The order had been fulfilled before", rest["data"])


async def test_a_completed_order_that_was_partly_refunded_is_not_completed_again(world: World) -> None:
    await new_product(world)
    await paid_order(world, await buyer(world), (1, 2))
    await fulfill(world, 1)
    await world.post(f"{STORE}/orders/1/refund", {"amount": "5.00"})
    before, events_before = await rows(world.db, orders), await sent(world.db)
    answer = await fulfill(world, 1)
    assert (answer.status_code, answer.json()["message"]) == (200, "The order had been fulfilled before")
    assert (await rows(world.db, orders), await sent(world.db)) == (before, events_before)


async def test_an_order_delivered_in_parts_is_complete_with_the_last_part(world: World) -> None:
    await new_product(world)
    await new_product(world, name="Map")
    await paid_order(world, await buyer(world), (1, 3), (2, 1))
    partly = await fulfill(world, 1, (1, 2), note="two of three")
    assert (partly.json()["message"], partly.json()["data"]["status"]) == ("Order fulfilled in part", "paid")
    assert [item["fulfilled_quantity"] for item in partly.json()["data"]["items"]] == [2, 0]
    await fulfill(world, 1, (2, 1))
    assert "order.completed" not in await sent(world.db)
    last = (await fulfill(world, 1, (1, 1))).json()["data"]
    assert (last["status"], last["fulfillment_note"]) == ("completed", "two of three")
    assert (await sent(world.db)).count("order.completed") == 1
    assert await maintained(world.db) == await recounted(world.db)


async def test_automatically_delivered_lines_are_not_delivered_again(world: World) -> None:
    await new_product(world, delivery_type="keys")
    await new_product(world, name="Map")
    await paid_order(world, await buyer(world), (1, 1), (2, 1))
    answer = await fulfill(world, 1, (1, 1))
    assert answer.json()["errors"] == {
        "items.0.quantity": ["The items.0.quantity field must not be greater than 0, what is left to deliver."]
    }
    assert (await fulfill(world, 1)).json()["data"]["status"] == "completed"


@pytest.mark.parametrize(
    ("items", "field"),
    [
        ([(9, 1)], "items.0.item_id"),
        ([(1, 1), (1, 1)], "items.1.item_id"),
        ([(1, 3)], "items.0.quantity"),
        ([(1, 0)], "items.0.quantity"),
        ([(0, 1)], "items.0.item_id"),
    ],
)
async def test_a_line_that_cannot_be_delivered_is_named_and_nothing_is_delivered(
    world: World, items: list[tuple[int, int]], field: str
) -> None:
    await new_product(world)
    order = await paid_order(world, await buyer(world), (1, 2))
    answer = await fulfill(world, 1, *items)
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])
    assert (await world.get("/orders/1")).json()["data"] == order


@pytest.mark.parametrize(
    ("body", "field"),
    [({"items": []}, "items"), ({"items": [{}]}, "items.0.item_id"), ({"note": "x" * 2001}, "note")],
)
async def test_a_bad_body_is_rejected(shared_world: World, body: dict[str, Any], field: str) -> None:
    answer = await shared_world.post("/orders/1/fulfill", body)
    assert answer.status_code == 422
    assert field in answer.json()["errors"]


@pytest.mark.parametrize("status", get_args(OrderStatus))
async def test_only_an_order_that_was_paid_is_delivered_and_a_completed_one_does_not_change(
    world: World, status: OrderStatus
) -> None:
    await new_product(world)
    await new_order(world, await buyer(world), (1, 1))
    await LEAD_TO[status](world, 1)
    before, events_before = await rows(world.db, orders), await sent(world.db)
    answer = await fulfill(world, 1)
    if status in ("paid", "partially_refunded"):
        after = "completed" if status == "paid" else status
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, after)
        return
    if status == "completed":
        assert answer.status_code == 200
    else:
        words = status.replace("_", " ")
        assert (answer.status_code, answer.json()["code"]) == (409, f"order_{status}")
        assert answer.json()["message"] == f"Order ORD-000001 is {words} and cannot be fulfilled."
    assert (await rows(world.db, orders), await sent(world.db)) == (before, events_before)
