"""The tour of the demo: what to look at first, on records of the store, until someone closes it."""

from __future__ import annotations

import re

from lootkeep.console import tour
from lootkeep.services import sign_in as sign_in_service
from lootkeep.storage.engine.database import Engine
from tests.cli.demo_store import loaded
from tests.console.visits import as_demo, token, visitor
from tests.world import World

NAME = 'aria-label="Tour of the demo"'


async def demo(db: Engine, *, is_open_house: bool = False) -> World:
    world, _ = await loaded(db)
    return as_demo(world, is_open_house=is_open_house)


async def test_the_tour_leads_through_five_records_for_the_owner_and_for_a_guest(db: Engine) -> None:
    world = await demo(db, is_open_house=True)
    steps = await tour.steps(world.deps)
    records = [re.sub(r"\d+|\?.*", "", step.path) for step in steps]
    assert "?check=" in steps[0].path
    assert records == ["/fraud", "/orders/", "/payments/", "/webhooks/", "/fraud/rules"]
    for role in ("owner", None):
        visits = await visitor(world, role)
        page = await visits.get("")
        assert page.text.count("?tour=") + page.text.count("&amp;tour=") == len(steps) + 2
        for step, follower in zip(steps, [*steps[1:], None], strict=True):
            page = await visits.http.get(step.url)
            assert (page.status_code, f"{step.number} of 5: {step.title}." in page.text) == (200, True), step.url
            if follower:
                assert f"Next: {follower.title}</a>" in page.text
        assert ">Done</a>" in page.text
        assert "What it would have done" in page.text
    await world.close()


async def test_a_tour_that_was_closed_stays_closed_in_this_browser(db: Engine) -> None:
    world = await demo(db)
    visits = await visitor(world, "owner")
    assert NAME in (await visits.get("")).text
    assert NAME not in (await visits.get("/orders")).text
    closing = await visits.get("?tour=off")
    assert NAME not in closing.text
    assert re.search(r"lootkeep-tour=closed; HttpOnly; Path=/console; SameSite=lax$", closing.headers["set-cookie"])
    assert NAME not in (await visits.get("")).text
    assert NAME in (await (await visitor(world, "owner")).get("")).text
    await world.close()


async def test_the_tour_has_only_what_the_role_may_open_and_lists_where_a_record_is_gone(world: World) -> None:
    page = (await (await visitor(as_demo(world), "orders:read payments:read")).get("")).text
    assert re.findall(r'<a href="/console(\S+)\?tour=(\d)"', page) == [("/orders", "2"), ("/payments", "3")]


async def test_a_store_that_is_no_demo_has_no_tour(store: World) -> None:
    assert NAME not in (await (await visitor(store, "owner")).get("?tour=1")).text


async def test_the_owner_of_a_demo_is_let_in_by_a_link_without_a_password(db: Engine) -> None:
    world = await demo(db)
    for _ in range(2):
        link = await sign_in_service.make_link(world.deps, None)
        visits = await visitor(world, None)
        page = await visits.get(f"/setup?token={link}")
        assert "Look around</button>" in page.text
        form = {"link": link, "name": "Robin Vale", "email": "owner@pixelforge.example", "token": token(page)}
        answer = await visits.http.post("/console/setup", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/console")
        assert "Robin Vale" in (await visits.get("/orders")).text
        assert not await sign_in_service.is_set_up(world.deps)
        assert (await visits.get(f"/setup?token={link}")).status_code == 422
    await world.close()


async def test_a_link_of_a_store_that_is_no_demo_needs_a_password(world: World) -> None:
    link = await sign_in_service.make_link(world.deps, None)
    visits = await visitor(world, None)
    form = {"link": link, "name": "Robin", "email": "owner@store.example"}
    answer = await visits.post("/setup", on=f"/setup?token={link}", **form)
    assert (answer.status_code, "at least 12 characters" in answer.text) == (422, True)
