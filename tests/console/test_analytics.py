"""Analytics in the console: any range of days, charts with their figures, and CSV."""

from __future__ import annotations

import pytest

from tests.console.visits import visitor
from tests.world import World


async def test_a_range_shows_its_figures_products_and_customers(store: World) -> None:
    visits = await visitor(store, "read_only")
    page = (await visits.get("/analytics?from=2026-11-01&to=2026-11-15")).text
    assert "$40" in page
    assert "Jun Park" in page
    assert "15 Nov: $40.00 · 1 order" in page
    assert "1 bought for the first time" in page
    empty = (await visits.get("/analytics?from=2025-01-01&to=2025-12-31")).text
    assert ("Jun Park" in empty, "Products sold in this period" in empty) == (False, True)


async def test_the_shown_figures_can_be_exported(store: World) -> None:
    visits = await visitor(store, "read_only")
    path = "/analytics?from=2026-11-14&to=2026-11-15&format=csv"
    files = [(await visits.get(path + of)).text.splitlines() for of in ("", "&of=products", "&of=customers")]
    assert files[0][-1].startswith("2026-11-15")
    assert files[1][1].endswith(",1,2,40.00")
    assert files[2][1] == "1,Jun Park,jun@park.example,1,40.00"


@pytest.mark.parametrize(
    "query", ["from=x&to=y", "from=2026-11-15", "from=2026-11-15&to=2026-11-01", "from=1000-01-01&to=9999-12-31"]
)
async def test_an_invalid_range_is_rejected(store: World, query: str) -> None:
    assert (await (await visitor(store, "read_only")).get(f"/analytics?{query}")).status_code == 422
