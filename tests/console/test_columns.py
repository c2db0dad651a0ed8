"""The columns of a list that someone chooses: they are part of the address."""

from __future__ import annotations

import re

from tests.console.visits import visitor
from tests.world import World

# As the form of a list sends them; the menu sends the first one along.
CHOSEN = "columns=Product&columns=SKU&columns=Price"


def heads(page: str) -> list[str]:
    return [re.sub("<[^>]+>", "", head) for head in re.findall(r"<th scope=\"col\".*?</th>", page)]


async def test_a_list_shows_the_chosen_columns_and_its_links_and_views_keep_them(store: World) -> None:
    visits = await visitor(store, "read_only")
    page = (await visits.get(f"/products?{CHOSEN}")).text
    assert heads(page) == ["Product", "SKU", "Price"]
    assert len(re.findall(r"<td", page)) == 3
    # Where there is little room, a list that nobody has chosen columns of leaves it out.
    assert 'class="extra"' not in page
    assert 'class="extra"' in (await visits.get("/products")).text
    kept = "columns=Product,SKU,Price"
    for link in (f"?{kept}&amp;sort=price&amp;order=desc", f"?{kept}&amp;status=active", f"?{kept}&amp;format=csv"):
        assert f'href="{link}"' in page
    assert f'<input type="hidden" name="query" value="{kept}">' in page
    await visits.post("/account/views/new", name="Prices", list="/products", query=kept)
    view = (await visits.get(f"/products?{kept}")).text
    assert (heads(view), "Edit view" in view) == (["Product", "SKU", "Price"], True)
    filtered = (await visits.get(f"/products?{kept}&search=x")).text
    assert f'<a class="clear" href="?{kept}">Clear</a>' in filtered


async def test_the_first_column_is_always_there_and_names_that_no_column_has_are_ignored(store: World) -> None:
    visits = await visitor(store, "read_only")
    all_of_them = heads((await visits.get("/orders")).text)
    for query, titles in (
        ("columns=Total", ["Order", "Total"]),
        ("columns=Order", ["Order"]),
        ("columns=Total,%3Cscript%3E,Status", ["Order", "Status", "Total"]),
        ("columns=%3Cscript%3E", all_of_them),
        ("columns=", all_of_them),
    ):
        assert heads((await visits.get(f"/orders?{query}")).text) == titles, query
    whole, part = [(await visits.get(f"/orders?{query}format=csv")).text for query in ("", "columns=Order&")]
    assert whole == part
