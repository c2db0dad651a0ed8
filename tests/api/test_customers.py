"""Customers over the External API: the list, and one of them."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.searches import HOSTILE
from tests.builders import new_customer, new_product, paid_order, referred
from tests.world import World


async def test_a_customer_is_returned_with_every_field(world: World) -> None:
    anna = (await new_customer(world, name="Anna"))["customer"]
    friend = await referred(world, anna["referral_code"], email="jun@j.example", name="Jun", country="kr")
    await new_product(world)
    await paid_order(world, friend["id"], (1, 1))
    world.clock.advance(DAY)
    await paid_order(world, friend["id"], (1, 2))
    answer = (await world.get(f"/customers/{friend['id']}")).json()
    assert answer["data"] == friend | {
        "referred_by": {"id": anna["id"], "name": "Anna"},
        "orders_count": 2,
        "total_spent": "60.00",
        "average_order_value": "30.00",
        "first_order_at": "2026-11-15T12:00:00Z",
        "last_order_at": "2026-11-16T12:00:00Z",
    }
    assert list(answer["data"]) == [
        *("id", "email", "name", "username", "external_id", "country", "status", "status_reason", "accepts_marketing"),
        *("consent_given_at", "consent_withdrawn_at", "email_status", "referral_code", "referred_by", "orders_count"),
        *("total_spent", "average_order_value", "first_order_at", "last_order_at", "tags"),
        *("identities", "note", "created_at", "updated_at", "erased_at"),
    ]
    listed = (await world.get("/customers?has_orders=true")).json()
    assert (listed["data"], listed["meta"]["total"]) == ([answer["data"]], 1)


async def test_filters_and_orders_find_the_customers_they_name(world: World) -> None:
    await new_customer(world, email="a@a.example", name="bob", country="DE", accepts_marketing=True)
    world.clock.advance(DAY)
    await new_customer(world, email="c@c.example", name="Ann")
    await new_customer(world, email="b@b.example", name="Zoë Ødegård", country="KR")
    await new_product(world)
    await paid_order(world, 1, (1, 1))
    await world.put("/customers/1", {"tags": ["vip"]})
    await world.put("/customers/3", {"tags": ["vip", "Pre-order, %"]})
    expected = {
        "": [3, 2, 1],
        "tag=vip": [3, 1],
        "tag=vip&country=de": [1],
        "tag=Pre-order, %25": [3],
        "tag=VIP": [],
        "sort=id&order=asc": [1, 2, 3],
        "sort=name&order=asc": [2, 3, 1],
        "sort=email": [2, 3, 1],
        "sort=total_spent": [1, 3, 2],
        "sort=orders_count&order=asc": [2, 3, 1],
        "sort=last_order_at": [1, 3, 2],
        "email=B@b.example": [3],
        "status=active&country=de": [1],
        "status=blocked": [],
        "accepts_marketing=1": [1],
        "accepts_marketing=false": [3, 2],
        "has_orders=0": [3, 2],
        "min_total_spent=20": [1],
        "min_total_spent=20.01": [],
        "search=ødegård": [3],
        "search=.EXAMPLE": [3, 2, 1],
        "search=zz": [],
        "from=2026-11-16": [3, 2],
        "from=2026-11-15&to=2026-11-15": [1],
    }
    ids_by_query = {}
    for query in expected:
        ids_by_query[query] = [customer["id"] for customer in (await world.get(f"/customers?{query}")).json()["data"]]
    assert ids_by_query == expected


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=gone", "status"),
        ("email=x", "email"),
        ("country=Germany", "country"),
        ("accepts_marketing=yes", "accepts_marketing"),
        ("has_orders=2", "has_orders"),
        ("min_total_spent=much", "min_total_spent"),
        ("min_total_spent=-1", "min_total_spent"),
        ("sort=note", "sort"),
        ("per_page=0", "per_page"),
    ],
)
async def test_a_bad_value_of_a_filter_is_rejected_by_name(shared_world: World, query: str, field: str) -> None:
    answer = await shared_world.get(f"/customers?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])


async def test_an_unknown_customer_is_not_found(world: World) -> None:
    answer = await world.get("/customers/9223372036854775807")
    assert (answer.status_code, answer.json()["message"]) == (404, "Customer not found.")


async def test_hostile_texts_come_back_as_they_were_sent_and_are_found_by_themselves(world: World) -> None:
    fields = {"name": HOSTILE.strip(), "username": HOSTILE, "external_id": HOSTILE}
    await new_customer(world, **fields)
    await new_customer(world)
    read = (await world.get("/customers/1")).json()["data"]
    assert {name: read[name] for name in fields} == fields
    for term in ("%_\\", "'; DROP", '" <script', "{{7"):
        answer = (await world.call("GET", "/customers", params={"search": term})).json()
        assert [customer["id"] for customer in answer["data"]] == [1], term


async def test_staff_change_a_customer_as_the_store_does(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    changes = {"status": "blocked", "status_reason": "Stolen card.", "tags": ["fraud"], "note": "See ticket 12."}
    answer = await world.put("/customers/1", changes, token=await world.new_token("customers:write"))
    assert answer.json() == {
        "success": True,
        "message": "Customer updated successfully",
        "data": customer | changes | {"would_stop": None},
    }
    assert (await world.get("/customers/1")).json()["data"] == customer | changes
    refused = await world.put("/customers/1", {"name": "X"}, token=await world.new_token("customers:read"))
    assert refused.json()["message"] == "The token lacks the required scope customers:write."
