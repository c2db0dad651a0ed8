"""The menu: its groups, those that fold, and their numbers."""

from __future__ import annotations

import re

from tests.console.visits import visitor
from tests.world import World

FOLDED = re.compile(r"<details( open)?><summary>(\w+)(?:<span class=\"badge (\w+)\">(\d+)</span>)?</summary>")


async def test_connect_and_store_fold_and_the_one_with_the_page_is_open(store: World) -> None:
    visits = await visitor(store, "owner")
    assert [group[:2] for group in FOLDED.findall((await visits.get("/orders")).text)] == [
        ("", "Connect"),
        ("", "Store"),
    ]
    page = (await visits.get("/webhooks")).text
    assert [group[:2] for group in FOLDED.findall(page)] == [(" open", "Connect"), ("", "Store")]


async def test_a_group_without_a_page_for_the_role_is_not_there(store: World) -> None:
    page = (await (await visitor(store, "orders:read")).get("/orders")).text
    assert FOLDED.findall(page) == []
    assert "<h2>Grow</h2>" not in page
