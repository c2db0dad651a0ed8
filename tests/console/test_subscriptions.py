"""Subscriptions in the console: to be renewed, past due, renewed and leaving, with links and as a file."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY
from tests.builders import STORE, new_customer, new_product
from tests.console.visits import Visitor, visitor
from tests.world import World


async def subscribed(world: World) -> None:
    """Ann has renewed, Ben pays late, Cem leaves at the end of his month, Dee left at once."""
    rhythm = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
    await new_product(world, name="Guild Pass", price="7.99", **rhythm)
    for name in ("Ann", "Ben", "Cem", "Dee"):
        customer = (await new_customer(world, name=name))["customer"]
        body = {"customer_id": customer["id"], "product_id": 1}
        assert (await world.post(f"{STORE}/subscriptions", body)).status_code == 201
    world.clock.advance(29 * DAY)
    assert (await world.post(f"{STORE}/subscriptions/1/renew", {})).status_code in (200, 201)
    for number, at_period_end, reason in ((3, True, "too expensive"), (4, False, "no time to play")):
        leaves = {"at_period_end": at_period_end, "reason": reason}
        assert (await world.post(f"{STORE}/subscriptions/{number}/cancel", leaves)).status_code == 200
    world.clock.advance(DAY // 2)


async def names(visits: Visitor, query: str = "") -> list[str]:
    page = (await visits.get(f"/subscriptions{query}")).text
    return [name for name in ("Ann", "Ben", "Cem", "Dee") if f"<bdi>{name}</bdi>" in page]


async def test_each_view_shows_who_is_in_it(world: World) -> None:
    await subscribed(world)
    visits = await visitor(world, "read_only")
    assert await names(visits) == await names(visits, "?show=renewing") == ["Ann", "Ben"]
    views = [await names(visits, f"?show={view}") for view in ("past_due", "renewed", "leaving", "any")]
    assert views == [[], ["Ann"], ["Cem", "Dee"], ["Ann", "Ben", "Cem", "Dee"]]
    assert await names(visits, "?show=leaving&status=active") == ["Cem"]
    assert await names(visits, "?customer_id=2") == ["Ben"]


async def test_who_has_not_paid_the_next_period_is_past_due(world: World) -> None:
    await subscribed(world)
    world.clock.advance(5 * DAY)
    visits = await visitor(world, "read_only")
    assert (await names(visits), await names(visits, "?show=past_due")) == (["Ann"], ["Ben"])


async def test_those_who_leave_are_shown_with_the_reason_and_exported(world: World) -> None:
    await subscribed(world)
    visits = await visitor(world, "read_only")
    page = (await visits.get("/subscriptions?show=leaving")).text
    assert [text in page for text in ("too expensive", "no time to play", "Ending", "Cancelled")] == [True] * 4
    file = (await visits.get("/subscriptions?show=leaving&format=csv")).text.splitlines()
    assert len(file) == 3
    assert [line.rsplit(",", 1)[1] for line in file[1:]] == ["too expensive", "no time to play"]


async def test_a_subscription_links_to_its_customer_and_its_last_order(world: World) -> None:
    await subscribed(world)
    page = (await (await visitor(world, "read_only")).get("/subscriptions")).text
    assert 'href="/console/customers/1"' in page
    assert 'href="/console/orders/5"' in page
    assert "$7.99 / month" in page


async def test_the_page_of_a_customer_shows_their_subscriptions_and_leads_to_the_list(world: World) -> None:
    await subscribed(world)
    visits = await visitor(world, "read_only")
    page = (await visits.get("/customers/2")).text
    assert 'href="/console/subscriptions?customer_id=2"' in page
    assert "$7.99 / month" in page
    assert "They subscribed to nothing." not in page
