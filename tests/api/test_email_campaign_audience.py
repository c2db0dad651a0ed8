"""Whom an e-mail campaign reaches, reported before it is sent."""

from __future__ import annotations

from typing import Any

from lootkeep.kernel.clock import DAY, iso
from tests.api.campaigns import PATH, make, read, reader, set_customer
from tests.builders import new_product, paid_order, referred
from tests.world import World


async def test_the_preview_reports_excluded_customers_with_reasons_and_changes_nothing(world: World) -> None:
    people = [await reader(world, name=f"Reader {n}") for n in range(18)]
    left_out: list[dict[str, Any]] = [
        {"accepts_marketing": False},
        {"email_status": "unsubscribed"},
        {"email_status": "complained"},
        {"email_status": "bounced", "accepts_marketing": False},
        {"status": "blocked", "email_status": "bounced"},
    ]
    for number, values in enumerate(left_out):
        await set_customer(world, people[number]["id"], **values)
    campaign = await make(world)
    before = await read(world, campaign["id"])
    data = (await world.get(f"{PATH}/{campaign['id']}/preview-recipients")).json()["data"]
    assert data["total"] == 13
    assert data["excluded"] == {"not_opted_in": 1, "unsubscribed": 2, "bounced": 1, "blocked": 1}
    assert data["sample"] == [{name: customer[name] for name in ("id", "name", "email")} for customer in people[5:15]]
    assert await read(world, campaign["id"]) == before
    sent = (await world.post(f"{PATH}/{campaign['id']}/send", {})).json()["data"]
    assert sent["recipients_count"] == 13


async def test_each_filter_finds_the_customers_it_describes(world: World) -> None:
    product, other = await new_product(world), await new_product(world, name="Other")
    buyer = await reader(world, country="DE")
    await paid_order(world, buyer["id"], (product["id"], 2))
    world.clock.advance(10 * DAY)
    late = await reader(world, country="FR")
    await paid_order(world, late["id"], (other["id"], 1))
    await referred(world, buyer["referral_code"])
    tags = {"tags": ["vip", 'odd "tag"']}
    assert (await world.put(f"/customers/{late['id']}", tags)).status_code == 200
    idle = await reader(world)
    middle = iso(world.clock.now() - 5 * DAY)  # type: ignore[arg-type]
    expected: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"countries": ["de", "AT"]}, [buyer]),
        ({"min_total_spent": "40.00"}, [buyer]),
        ({"min_total_spent": 20}, [buyer, late]),
        ({"min_orders": 1}, [buyer, late]),
        ({"last_order_before": middle}, [buyer]),
        ({"last_order_after": middle}, [late]),
        ({"registered_from": middle}, [late, idle]),
        ({"registered_to": middle}, [buyer]),
        ({"product_ids": [product["id"], 999]}, [buyer]),
        ({"product_ids": [product["id"], other["id"]]}, [buyer, late]),
        ({"tags": ['odd "tag"', "none"]}, [late]),
        ({"is_referrer": True}, [buyer]),
        ({"is_referrer": False}, [late, idle]),
        ({"countries": ["FR"], "is_referrer": False, "tags": ["vip"]}, [late]),
        ({"countries": ["FR"], "is_referrer": True}, []),
    ]
    for filters, people in expected:
        campaign = await make(world, audience={"type": "segment", "filters": filters})
        data = (await world.get(f"{PATH}/{campaign['id']}/preview-recipients")).json()["data"]
        assert sorted(person["id"] for person in data["sample"]) == [person["id"] for person in people], filters
        assert data["total"] == len(people)
    named = await make(world, audience={"type": "customers", "customer_ids": [idle["id"], buyer["id"], 12345]})
    data = (await world.get(f"{PATH}/{named['id']}/preview-recipients")).json()["data"]
    assert [person["id"] for person in data["sample"]] == [buyer["id"], idle["id"]]
