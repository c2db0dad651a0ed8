"""Customers in the console: the list, and everything of one customer on a page."""

from __future__ import annotations

import csv
import io
import re

from tests.builders import new_customer, new_order, referred
from tests.console.visits import visitor
from tests.world import World

NAME = re.compile(r'<a class="row" href="/console/customers/(\d+)">')


async def test_the_list_is_filtered_and_sorted_by_its_url(store: World) -> None:
    await new_customer(store, name="Ann Ode", country="FR", accepts_marketing=True)
    visits = await visitor(store, "read_only")
    shown = {
        query: NAME.findall((await visits.get(f"/customers{query}")).text)
        for query in (
            "?sort=name&order=asc",
            "?has_orders=1",
            "?has_no_orders=0",
            "?country=fr",
            "?accepts_marketing=no",
            "?search=JUN",
            "?status=blocked",
        )
    }
    assert list(shown.values()) == [["2", "1"], ["1"], ["2"], ["2"], ["1"], ["1"], []]


async def test_the_export_has_the_columns_of_the_list(store: World) -> None:
    answer = await (await visitor(store, "read_only")).get("/customers?format=csv")
    head, row = csv.reader(io.StringIO(answer.text.removeprefix("\ufeff")))
    times = ["Last order (UTC)", "Signed up (UTC)"]
    assert head == ["Id", "Name", "E-mail", "Country", "Status", "Orders", "Spent", *times]
    assert row[:7] == ["1", "Jun Park", "jun@park.example", "", "Active", "1", "40.00"]


async def test_all_data_of_a_customer_is_on_one_page(store: World) -> None:
    code = (await store.get("/customers/1")).json()["data"]["referral_code"]
    friend = await referred(store, code, name="Mina Friend", ip_address="198.51.100.7")
    await new_order(store, friend["id"], (1, 1), device_id="device-1")
    page = (await (await visitor(store, "read_only")).get("/customers/1")).text
    for part in ("ORD-000001", "$40.00", "TKT-000001", "My key does not work", "…7K2P", "Mina Friend", "device-1"):
        assert part in page, part
    titles = re.findall(r"<h3>(?:<a [^>]+>)?([^<]+)", page)
    assert set(titles) >= {"Placed ORD-000001", "Paid ORD-000001", "Opened TKT-000001", "Brought Mina Friend"}
    assert titles[-1] == "Signed up"
    # The friend ordered from the same device.
    assert re.search(r'href="/console/customers/2">→ <bdi>Mina Friend</bdi>', page)
    assert "Brought by Jun Park." in (await (await visitor(store, "read_only")).get("/customers/2")).text


async def test_a_rejected_referral_is_part_of_the_timeline_with_its_reason(store: World) -> None:
    code = (await store.get("/customers/1")).json()["data"]["referral_code"]
    await new_customer(store, referral_code=code, email="jun+2@park.example")
    page = (await (await visitor(store, "read_only")).get("/customers/2")).text
    assert "Referral refused" in page
    assert "The customer and the referrer share a mailbox." in page


async def test_a_customer_without_activity_has_a_page_that_says_so(world: World) -> None:
    await new_customer(world)
    page = (await (await visitor(world, "read_only")).get("/customers/1")).text
    assert "No orders yet." in page
    assert "They never asked for help." in page
    assert (await (await visitor(world, "read_only")).get("/customers/2")).status_code == 404


async def test_a_country_is_shown_by_its_name_and_found_by_its_name_and_its_code(store: World) -> None:
    await new_customer(store, name="Kim", email="kim@mail.example", country="KR")
    visits = await visitor(store, "staff")
    pages = [(await visits.get(f"/customers?country={text}")).text for text in ("KR", "south korea")]
    assert ['<span title="KR">South Korea</span>' in page for page in pages] == [True, True]
    assert all("Country <bdi>South Korea</bdi>" in page for page in pages)
    assert "Jun Park" not in pages[0] + pages[1]
    assert "KR" in (await visits.get("/customers?country=KR&format=csv")).text
    assert (await visits.get("/customers?country=nowhere")).status_code == 422
    menus = [
        (await visits.get(path)).text for path in ("/customers?status=active", "/customers/2/edit", "/fraud/lists")
    ]
    assert ['<option value="KR" selected>South Korea</option>' in menu for menu in menus] == [False, True, False]
    assert ['<option value="FR">France</option>' in menu for menu in menus] == [True] * 3
