"""Acts on many rows of a list, without JavaScript: ticked rows, a preview, progress, and a result for each row."""

from __future__ import annotations

import re

import pytest

from lootkeep.console.bulk import AREAS, Area
from lootkeep.services.bulk import acts_of
from lootkeep.storage.access import rows as access_db
from tests.builders import STORE, new_customer, new_ticket
from tests.console.visits import Visitor, visitor
from tests.worker.bulk import paid_orders, pending_order, work
from tests.world import World


async def prepared(visits: Visitor, path: str, ids: list[int], **fields: str) -> str:
    """The path of the preview."""
    answer = await visits.post(path, ids="\n".join(map(str, ids)), **fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/console")


async def test_ticked_orders_are_fulfilled_after_a_preview_that_says_which_will_be_refused(world: World) -> None:
    orders, pending = await paid_orders(world, 2), await pending_order(world)
    visits = await visitor(world, "staff")
    assert f'name="ids" value="{orders[0]}"' in (await visits.get("/orders")).text
    path = await prepared(visits, "/orders/bulk", [*orders, pending], act="fulfill")
    preview = (await visits.get(path)).text
    assert "Mark 3 orders as fulfilled" in preview
    assert "<b>1 will be refused</b>, because of its state: 1 pending." in preview
    await visits.post(f"{path}/start", note="By hand")
    assert "<b>0 done</b>, 0 refused, 3 left." in (await visits.get(path)).text
    await work(world)
    result = (await visits.get(path)).text
    assert "<b>2 done</b>, 1 refused." in result
    assert "is pending and cannot be fulfilled." in result
    assert f'href="/console/orders/{orders[0]}"' in result
    refused = (await visits.get(f"{path}?status=refused&format=csv")).text.splitlines()
    assert refused[1:] == [f"ORD-{pending:06d},Refused,Order ORD-{pending:06d} is pending and cannot be fulfilled."]


async def test_all_of_the_filter_is_what_it_matched_when_the_preview_was_made(world: World) -> None:
    orders = await paid_orders(world, 3)
    await pending_order(world)
    visits = await visitor(world, "staff")
    path = await prepared(visits, "/orders/bulk?status=paid", orders[:1], act="fulfill")
    assert "Take all 3 of this filter instead" in (await visits.get(path)).text
    path = await prepared(visits, "/orders/bulk?status=paid", orders[:1], act="fulfill", all="yes")
    (late,) = await paid_orders(world, 1)
    assert "all 3 that the filter matched" in (await visits.get(path)).text
    await visits.post(f"{path}/start")
    await work(world)
    assert "<b>3 done</b>, 0 refused." in (await visits.get(path)).text
    assert f"ORD-{late:06d}" in (await visits.get("/orders?status=paid")).text


async def test_a_filter_value_that_is_not_known_is_refused_everywhere(world: World) -> None:
    await paid_orders(world, 1)
    visits = await visitor(world, "staff")
    lists = [await visits.get(f"/orders?status=foo{more}") for more in ("", "&format=csv")]
    acted = await visits.post("/orders/bulk?status=foo", act="cancel", all="yes")
    for answer in (*lists, acted):
        assert (answer.status_code, "The filter Status in the address cannot be read." in answer.text) == (422, True)
    assert [(await visits.get(f"/orders?status={value}")).status_code for value in ("", "any", "paid")] == [200] * 3


async def test_a_page_after_the_last_one_says_so_and_leads_to_the_first(world: World) -> None:
    await paid_orders(world, 1)
    page = (await (await visitor(world, "staff")).get("/orders?sort=total&page=99999")).text
    assert 'There is no page 99999. <a href="?sort=total">Show the first page</a>' in page
    assert "Orders appear here" not in page


async def test_the_audit_log_has_it_as_one_act_that_leads_to_its_rows(world: World) -> None:
    orders = await paid_orders(world, 2)
    visits = await visitor(world, "owner")
    path = await prepared(visits, "/orders/bulk", orders, act="cancel")
    await visits.post(f"{path}/start", reason="Mistake")
    await work(world)
    log = (await visits.get("/audit")).text
    assert log.count("Start a bulk action</a>") == 1
    assert f'href="/console{path}"' in log
    assert "Cancel 2 orders" in (await visits.get("/bulk")).text


async def test_a_running_one_is_stopped_and_what_is_left_stays_as_it_was(world: World) -> None:
    visits = await visitor(world, "staff")
    path = await prepared(visits, "/orders/bulk", await paid_orders(world, 2), act="fulfill")
    await visits.post(f"{path}/start")
    await visits.post(f"{path}/stop")
    await work(world)
    stopped = (await visits.get(path)).text
    assert "0 refused, 2 not acted on." in stopped
    assert "2 stay as they were" in stopped


async def test_ticked_orders_are_exported(world: World) -> None:
    orders = await paid_orders(world, 3)
    visits = await visitor(world, "staff")
    answer = await visits.post("/orders/bulk", act="export", ids=f"{orders[0]}\n{orders[2]}")
    lines = (await visits.http.get(answer.headers["location"])).text.splitlines()
    assert [re.findall(r"ORD-0*(\d+)", line)[0] for line in lines[1:]] == [str(orders[0]), str(orders[2])]


async def test_nothing_ticked_starts_nothing_and_offers_the_filter(world: World) -> None:
    await paid_orders(world, 1)
    visits = await visitor(world, "staff")
    preview = (await visits.get(await prepared(visits, "/orders/bulk", [], act="cancel"))).text
    assert "Take all 1 of this filter instead" in preview
    assert "/start" not in preview
    assert "It acts on" not in preview
    preview = (await visits.get(await prepared(visits, "/orders/bulk", [], act="fulfill", all="yes"))).text
    assert "This is the only one that the filter matched" in preview
    assert "It is not in a state that would be refused." in preview


async def test_an_act_that_does_not_exist_is_not_found(world: World) -> None:
    visits = await visitor(world, "staff")
    assert (await visits.post("/orders/bulk", act="explode", ids="1")).status_code == 404
    # It only takes back what another one did.
    assert (await visits.post("/tickets/bulk", act="give_back", ids="1")).status_code == 404


async def test_the_act_of_another_area_is_not_found(world: World) -> None:
    visits = await visitor(world, "staff")
    path = await prepared(visits, "/orders/bulk", [1], act="cancel")
    assert (await visits.get(path)).status_code == 200
    assert (await visits.get(path.replace("orders", "tickets"))).status_code == 404


async def test_what_was_done_is_undone_for_the_rows_that_it_changed_after_a_preview(world: World) -> None:
    customers = [(await new_customer(world))["customer"]["id"] for _ in range(2)]
    assert (await world.put(f"{STORE}/customers/{customers[1]}", {"tags": ["vip"]})).status_code == 200
    visits = await visitor(world, "owner")
    path = await prepared(visits, "/customers/bulk", customers, act="tag")
    await visits.post(f"{path}/start", tag="vip")
    assert "Undo…" not in (await visits.get(path)).text
    await work(world)
    assert "Undo…" in (await visits.get(path)).text
    undo = await prepared(visits, "/customers/bulk", [], undo=path.rpartition("/")[2])
    preview = (await visits.get(undo)).text
    assert "Remove a tag from 1 customer" in preview
    assert 'value="vip"' in preview
    await visits.post(f"{undo}/start", tag="vip")
    await work(world)
    tags = [(await world.get(f"{STORE}/customers/{customer}")).json()["data"]["tags"] for customer in customers]
    assert tags == [[], ["vip"]]
    assert "Remove a tag from 1 customer" in (await visits.get("/audit")).text


async def test_what_changed_nothing_is_not_undone(world: World) -> None:
    customer = (await new_customer(world))["customer"]["id"]
    visits = await visitor(world, "owner")
    path = await prepared(visits, "/customers/bulk", [customer], act="untag")
    await visits.post(f"{path}/start", tag="vip")
    await work(world)
    answer = await visits.post("/customers/bulk", undo=path.rpartition("/")[2])
    assert (answer.status_code, "there is nothing to undo" in answer.text) == (409, True)


async def test_whom_tickets_were_assigned_to_is_said_by_name(world: World) -> None:
    ticket = (await new_ticket(world, (await new_customer(world))["customer"]["id"]))["id"]
    visits = await visitor(world, "staff")
    async with world.deps.db.read() as tx:
        (agent, *_) = await access_db.STAFF.find(tx)
    for agent_id, name in ((str(agent.id), agent.name), ("", "Nobody")):
        path = await prepared(visits, "/tickets/bulk", [ticket], act="assign")
        await visits.post(f"{path}/start", agent_id=agent_id)
        assert f"Assigned to:</span> <bdi>{name}</bdi>" in (await visits.get(path)).text


async def test_an_act_without_a_way_back_and_one_of_another_area_are_not_undone(world: World) -> None:
    visits = await visitor(world, "staff")
    number = (await prepared(visits, "/orders/bulk", await paid_orders(world, 1), act="fulfill")).rpartition("/")[2]
    await visits.post(f"/orders/bulk/{number}/start")
    await work(world)
    assert "Undo…" not in (await visits.get(f"/orders/bulk/{number}")).text
    for path in ("/orders/bulk", "/customers/bulk"):
        assert (await visits.post(path, undo=number)).status_code == 404


@pytest.mark.parametrize(("role", "boxes"), [("read_only", 0), ("staff", 1)])
async def test_boxes_are_for_those_who_may_act(world: World, role: str, boxes: int) -> None:
    await paid_orders(world, 1)
    assert (await (await visitor(world, role)).get("/orders")).text.count('name="ids"') == boxes


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
async def test_every_list_with_acts_takes_its_ticked_rows_and_all_of_its_filter(store: World, area: Area) -> None:
    visits = await visitor(store, "staff")
    (act, *_) = acts_of(area.name)
    page = (await visits.get(area.path.format(webhook_id=1) + "?status=")).text
    action = re.findall(r'id="bulk" method="post" action="/console([^"]+)"', page)[0].replace("&amp;", "&")
    (record_id, *_) = re.findall(r'name="ids" value="(\d+)"', page)
    for fields in ({"ids": record_id}, {"all": "yes"}):
        answer = await visits.post(action, act=act.name, **fields)
        path = answer.headers["location"].removeprefix("/console")
        preview = (await visits.get(path)).text
        assert act.sentence.format(f"1 {act.noun}") in preview
        back = re.findall(r'class="button" href="/console([^"]+)">Back to the list', preview)[0].replace("&amp;", "&")
        assert (await visits.get(back)).status_code == 200
