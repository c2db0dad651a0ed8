"""The search over endpoints, events and guides, as a page and as the index that the script reads."""

from __future__ import annotations

from html import escape
from typing import Any

import pytest

from tests.api.html_pages import HtmlPage
from tests.world import World

MAX_INDEX_BYTES = 150_000
HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}",
    "%00\x00",
    "' OR 1=1 --",
    ".*(a+)+$",
    "\u202e\u0000\ud7ff",
    "x " * 5000,
]


async def results(world: World, query: str) -> list[str]:
    answer = await world.http.get("/docs/search", params={"q": query})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    return HtmlPage(answer.text.partition('<ul class="results">')[2].partition("</ul>")[0]).links


async def test_endpoints_events_and_guides_are_found_together(shared_world: World) -> None:
    urls = await results(shared_world, "refund")
    assert {"../docs#refund-order", "../docs#event-order-refunded"} <= set(urls)
    assert any(url.startswith("guides/") for url in urls)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("backup and restore", "guides/operate/backup"),
        ("Quickstart", "guides/quickstart"),
        ("verify the signature", "guides/webhooks#verify-the-signature"),
        ("list reward tiers", "../docs#list-tiers"),
        ("order.paid", "../docs#event-order-paid"),
        ("fraud/whitelist/email", "../docs#whitelist-email"),
    ],
)
async def test_what_has_the_words_in_its_title_comes_first(shared_world: World, query: str, first: str) -> None:
    assert (await results(shared_world, query))[0] == first


@pytest.mark.parametrize(
    ("query", "anchors"),
    [
        ("reward tier", ["list-tiers", "create-tier", "update-tier", "delete-tier", "toggle-tier", "claim-tier"]),
        ("fraud/whitelist", ["whitelist-ip", "unwhitelist-ip", "whitelist-email", "unwhitelist-email"]),
    ],
)
async def test_operations_are_found_by_name_and_path_in_their_order(
    shared_world: World, query: str, anchors: list[str]
) -> None:
    urls = [url for url in await results(shared_world, query) if url.startswith("../docs#")]
    assert urls[: len(anchors)] == [f"../docs#{anchor}" for anchor in anchors]


async def test_words_of_the_text_find_their_section(shared_world: World) -> None:
    assert "guides/operate/settings" in " ".join(await results(shared_world, "LOOTKEEP_SMTP_URL"))
    assert await results(shared_world, "webhooks zzyzx") == []
    assert await results(shared_world, "   ") == []


@pytest.mark.parametrize("query", HOSTILE)
async def test_a_hostile_query_is_text(shared_world: World, query: str) -> None:
    answer = await shared_world.http.get("/docs/search", params={"q": query})
    page = HtmlPage(answer.text)
    assert (answer.status_code, page.unbalanced, page.tags.count("script")) == (200, [], 1)
    assert not {"onerror", "style"} & page.attributes
    assert escape(query[:20]).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in answer.text
    assert len(answer.content) < 60_000


@pytest.mark.parametrize("query", ["q=%FF%FE", "q", "q=a&q=b", "x=1", "q=%"])
async def test_a_malformed_query_is_answered(shared_world: World, query: str) -> None:
    assert (await shared_world.http.get(f"/docs/search?{query}")).status_code == 200


async def test_the_index_has_what_the_pages_have_and_stays_small(shared_world: World) -> None:
    async with shared_world.http.stream("GET", "/docs/search.json", headers={"Accept-Encoding": "gzip"}) as answer:
        size = sum([len(chunk) async for chunk in answer.aiter_raw()])
    rows: list[Any] = (await shared_world.http.get("/docs/search.json")).json()
    assert size < MAX_INDEX_BYTES
    document = (await shared_world.http.get("/openapi.json")).json()
    operations = [row for row in rows if row[3] not in ("", "event")]
    assert len(operations) == sum(len(item) for item in document["paths"].values())
    assert sum(row[3] == "event" for row in rows) == len(document["webhooks"])
