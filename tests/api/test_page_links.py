"""The headers of a page: where the other pages of its list are, and how many items there are."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.builders import new_product
from tests.world import EXTERNAL, World


def links(answer: httpx.Response) -> dict[str, str]:
    return {name: url for url, name in re.findall(r'<([^>]*)>; rel="(\w+)"', answer.headers["Link"])}


@pytest.fixture
async def shop(world: World) -> World:
    for number in range(5):
        await new_product(world, name=f"Map & <{number}>")
    return world


async def test_a_page_in_the_middle_links_to_all_others(shop: World) -> None:
    answer = await shop.get("/products?per_page=2&page=2&search=map+%26")
    base = f"{EXTERNAL}/products?per_page=2&search=map+%26&page="
    assert links(answer) == {"first": f"{base}1", "prev": f"{base}1", "next": f"{base}3", "last": f"{base}3"}
    assert answer.headers["X-Total-Count"] == "5"
    following = await shop.get(links(answer)["next"])
    assert following.json()["meta"]["current_page"] == 3


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?per_page=2", {"first", "next", "last"}),
        ("?per_page=2&page=3", {"first", "prev", "last"}),
        ("", {"first", "last"}),
        ("?search=nothing", {"first", "last"}),
    ],
)
async def test_a_page_links_to_the_pages_that_there_are(shop: World, query: str, names: set[str]) -> None:
    assert set(links(await shop.get(f"/products{query}"))) == names


async def test_a_page_past_the_end_leads_back_to_the_last(shop: World) -> None:
    answer = links(await shop.get("/products?page=9&per_page=2"))
    assert answer["prev"] == answer["last"]
    assert "next" not in answer


async def test_a_long_query_has_no_links_and_a_response_without_pages_has_neither_header(shop: World) -> None:
    long = await shop.get(f"/products?search=map&unknown={'x' * 600}")
    assert ("Link" in long.headers, long.headers["X-Total-Count"]) == (False, "5")
    single = await shop.get("/products/1")
    assert not {"Link", "X-Total-Count"} & {name.title() for name in single.headers}


async def test_a_header_never_holds_what_was_typed_unescaped(shop: World) -> None:
    answer = await shop.get("/products?search=%22%3E%0d%0aX-Evil:1")
    assert '">' not in answer.headers["Link"].replace('>; rel="', "")
    assert "X-Evil" not in answer.headers
