"""Coupons in the console: the list with its filters, one coupon with its orders and abuse, and what staff change."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.api.ordering import welcomed
from tests.builders import new_customer, new_order, paid_order
from tests.console.visits import visitor
from tests.world import World

CODE = re.compile(r'<a class="row" href="/console/coupons/\d+"><code>([^<]+)</code>')
NEW = {"discount_type": "percentage", "discount_value": "15", "is_active": "yes"}


async def coupon(world: World, number: int = 1) -> dict[str, Any]:
    return dict((await world.get(f"/coupons/{number}")).json()["data"])


async def test_the_list_is_filtered_by_state_and_who_made_them(store: World) -> None:
    _, welcome = await welcomed(store)
    await store.post("/coupons", {"code": "LATER", "starts_at": "2027-01-01T00:00:00Z"} | NEW | {"is_active": True})
    visits = await visitor(store, "read_only")
    queries = (
        "",
        "?origin=any",
        "?state=scheduled",
        "?origin=welcome",
        "?state=active&origin=owner",
        "?search=sale",
        "?batch=none",
    )
    shown = [CODE.findall((await visits.get(f"/coupons{query}")).text) for query in queries]
    assert shown == [
        ["LATER", "SALE20"],
        ["LATER", welcome, "LUNA", "SALE20"],
        ["LATER"],
        [welcome],
        ["SALE20"],
        ["SALE20"],
        [],
    ]


async def test_the_list_names_the_last_day_in_the_zone_of_the_store(store: World) -> None:
    berlin = World(store.db, clock=store.clock, timezone="Europe/Berlin")
    visits = await visitor(berlin, "staff")
    card = {"initial_balance": "5.00", "expires_at": "2026-11-25"}
    await visits.post("/coupons/new", on="/coupons/new", **NEW, code="FRIDAY", ends_at="2026-11-25")
    await visits.post("/gift-cards/new", on="/gift-cards/new", **card)
    for path in ("/coupons", "/gift-cards"):
        assert re.findall("2[456] Nov 2026", (await visits.get(path)).text) == ["25 Nov 2026"], path
    await berlin.close()


async def test_a_coupon_shows_its_orders_revenue_and_accounts_of_one_ring(store: World) -> None:
    mina, mona, mara = [(await new_customer(store, name=name))["customer"]["id"] for name in ("Mina", "Mona", "Mara")]
    for number, customer in enumerate((mina, mona)):
        shared = {"device_id": "one-laptop", "ip_address": f"198.51.100.{number}"}
        await paid_order(store, customer, (1, 1), coupon_code="SALE20", **shared)
    await new_order(store, mara, (1, 1), coupon_code="SALE20")
    page = (await (await visitor(store, "read_only")).get("/coupons/1")).text
    assert re.findall(r'class="figure">([^<]+)<', page) == ["2", "1", "$32.00", "$8.00"]
    (ring,) = re.findall(r"One device.*?</li>", page, re.DOTALL)
    assert re.findall(r"<bdi>(\w+)</bdi>", ring) == ["Mina", "Mona"]
    assert page.count("ORD-") == 3


async def test_a_coupon_is_created_with_days_of_the_store(store: World) -> None:
    visits = await visitor(store, "staff")
    fields = NEW | {"code": "spring", "product_ids": "1", "categories": "Ranks, Keys", "max_uses": "500"}
    done = await visits.post("/coupons/new", on="/coupons/new", **fields, ends_at="2026-12-24", min_total="10")
    assert done.headers["location"] == "/console/coupons/3"
    created = await coupon(store, 3)
    assert (created["code"], created["product_ids"], created["categories"]) == ("SPRING", [1], ["Ranks", "Keys"])
    assert (created["ends_at"], created["min_total"], created["max_uses"]) == ("2026-12-25T00:00:00Z", "10.00", 500)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("code", "sale20", "has already been taken"),
        ("code", "no!", "must have 4 to 40"),
        ("discount_value", "101", "must not be greater than 100"),
        ("discount_value", "", "Enter an amount"),
        ("product_ids", "1, 77", "One of these numbers is not a product"),
        ("max_uses", "0", "1"),
    ],
)
async def test_what_is_wrong_is_said_at_the_field(store: World, field: str, value: str, sentence: str) -> None:
    visits = await visitor(store, "staff")
    answer = await visits.post("/coupons/new", on="/coupons/new", **(NEW | {"code": "SPRING", field: value}))
    (error,) = re.findall(rf'id="{field}-error">([^<]+)<', answer.text)
    assert sentence in error
    assert (await store.get("/coupons")).json()["meta"]["total"] == 2


async def test_many_are_generated_and_exported(store: World) -> None:
    visits = await visitor(store, "staff")
    fields = NEW | {"count": "30", "prefix": "Xmas-", "max_uses": "1"}
    done = await visits.post("/coupons/generate", on="/coupons/generate", **fields)
    listed = done.headers["location"].removeprefix("/console")
    assert "30 coupons are generated" in (await visits.get(listed)).text
    lines = (await visits.get(f"{listed}&format=csv")).text.splitlines()
    assert len(lines) == 31
    assert all("XMAS-" in line for line in lines[1:])


async def test_a_used_coupon_is_edited_as_far_as_it_can_be(store: World) -> None:
    visits = await visitor(store, "staff")
    here = "/coupons/1/edit"
    await visits.post(here, on=here, **NEW, code="SALE15", max_uses_per_customer="1")
    assert ((await coupon(store))["code"], (await coupon(store))["discount_value"]) == ("SALE15", "15.00")
    await new_order(store, 1, (1, 1), coupon_code="SALE15")
    page = (await visits.get(here)).text
    assert 'id="discount_value"' not in page
    await visits.post(here, on=here, max_uses="9", max_uses_per_customer="", note="Ends soon")
    changed = await coupon(store)
    assert (changed["max_uses"], changed["max_uses_per_customer"], changed["is_active"]) == (9, None, False)
    assert "Delete" not in (await visits.get("/coupons/1")).text


async def test_an_end_within_a_day_stays_when_the_form_is_saved(store: World) -> None:
    end = "2026-12-24T15:30:00Z"
    await store.put("/coupons/1", {"ends_at": end})
    visits = await visitor(store, "staff")
    await visits.post("/coupons/1/edit", on="/coupons/1/edit", **NEW, code="SALE20", ends_at="2026-12-24")
    assert (await coupon(store))["ends_at"] == end


async def test_a_coupon_of_a_referral_keeps_what_was_promised(store: World) -> None:
    await welcomed(store)
    visits = await visitor(store, "staff")
    page = (await visits.get("/coupons/3/edit")).text
    assert 'name="max_uses"' not in page
    assert "What was promised stays" in page


async def test_an_unused_coupon_is_deleted(store: World) -> None:
    visits = await visitor(store, "staff")
    await visits.post("/coupons/1/delete", on="/coupons/1", confirmed="yes")
    assert (await store.get("/coupons/1")).status_code == 404


async def test_the_search_finds_a_coupon_by_part_of_its_code(store: World) -> None:
    page = (await (await visitor(store, "read_only")).get("/search?q=ale2")).text
    assert CODE.findall(page) == ["SALE20"]
