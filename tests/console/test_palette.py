"""The command palette: what is found, pages by name, and actions with the typed text, within someone's role."""

from __future__ import annotations

import re

from tests.builders import new_customer, new_product
from tests.console.visits import DELIVERY, visitor
from tests.world import World


async def entries(world: World, role: str, term: str) -> list[tuple[str, str]]:
    """Where each line leads, and its name."""
    visits = await visitor(world, role)
    page = (await visits.get("/palette", params={"q": term}, headers={"x-part": "main"})).text
    lines = re.findall(r'<li><a href="/console([^"]+)">.*?<span><b>(.*?)</b>', page)
    return [(to, re.sub(r"<[^>]+>", "", name)) for to, name in lines]


async def test_found_things_come_first_and_then_actions_with_the_typed_text(world: World) -> None:
    await new_customer(world, name="Ember Fox", email="fox@post.example")
    product = await new_product(world, name="Emberfall", delivery_type="keys")
    names = await entries(world, "staff", "ember")
    assert names[0] == ("/customers/1", "Ember Fox fox@post.example")
    assert ("/coupons/new?code=ember", "Create coupon ember") in names
    assert (f"/products/{product['id']}/keys", "Add keys to Emberfall") in names


async def test_pages_are_found_by_name_within_the_role(world: World) -> None:
    assert ("/tokens", "API tokens") in await entries(world, "owner", "token")
    assert await entries(world, "read_only", "token") == []
    assert [to for to, _ in await entries(world, "read_only", "coupon")] == ["/coupons"]


async def test_a_page_comes_before_what_would_be_created_under_its_name(world: World) -> None:
    names = [name for _, name in await entries(world, "staff", "your account")]
    assert names == ["Your account", "Create product your account"]
    names = [name for _, name in await entries(world, "owner", "settings")]
    assert names[:2] == ["Settings", "Fraud settings"]


async def test_a_number_says_what_it_counts(world: World) -> None:
    await new_product(world, name="Emberfall")
    await world.post("/coupons", {"code": "EMBER20", "discount_type": "percentage", "discount_value": 20})
    visits = await visitor(world, "staff")
    page = (await visits.get("/palette", params={"q": "ember"})).text
    assert "· 0 sold" in page
    assert "· 0 used" in page


async def test_create_and_what_leads_to_its_form_whatever_its_title_says(world: World) -> None:
    assert await entries(world, "staff", "create cou") == [("/coupons/new", "New coupon")]
    assert await entries(world, "staff", "New gift c") == [("/gift-cards/new", "Issue a gift card")]
    assert await entries(world, "staff", "create coupon SPRING") == [
        ("/coupons/new?code=SPRING", "Create coupon SPRING"),
    ]
    assert await entries(world, "staff", "add product Ember Sword") == [
        ("/products/new?name=Ember+Sword", "Create product Ember Sword"),
    ]
    assert await entries(world, "read_only", "create cou") == []
    assert ("/coupons/new", "New coupon") in await entries(world, "staff", "create")


async def test_a_delivery_is_found_by_its_id(store: World) -> None:
    assert (await entries(store, "staff", DELIVERY))[0] == (f"/deliveries/{DELIVERY}", DELIVERY)
    assert await entries(store, "coupons:read", DELIVERY) == []


async def test_nothing_found_says_what_was_searched_and_shows_the_term_as_text(world: World) -> None:
    visits = await visitor(world, "read_only")
    page = (await visits.get("/palette", params={"q": "<b>zz"})).text
    assert "Nothing was found for “<bdi>&lt;b&gt;zz</bdi>” in orders" in page


async def test_a_part_of_a_page_is_small_and_leaves_the_message_to_the_next_page(store: World) -> None:
    visits = await visitor(store, "staff")
    await visits.post("/tickets/1/priority", priority="high")
    part = (await visits.get("/palette", headers={"x-part": "main"})).text
    assert "<nav" not in part
    assert "is high." in (await visits.get("/tickets/1")).text


async def test_an_action_opens_the_form_with_the_text_filled_in(world: World) -> None:
    visits = await visitor(world, "staff")
    assert 'value="EMBER&#34;20"' in (await visits.get('/coupons/new?code=EMBER"20')).text


async def test_what_was_typed_is_marked_in_the_text_and_never_in_its_markup(world: World) -> None:
    await new_customer(world, name="Amp & <b>Bdi", email="fox@post.example")
    visits = await visitor(world, "staff")
    pages = {term: (await visits.get("/palette", params={"q": term})).text for term in ("amp", "bdi")}
    assert "<bdi><mark>Amp</mark> &amp; &lt;b&gt;Bdi</bdi>" in pages["amp"]
    assert "<bdi>Amp &amp; &lt;b&gt;<mark>Bdi</mark></bdi>" in pages["bdi"]
