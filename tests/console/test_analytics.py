"""Analytics in the console: any range of days, charts with their figures, and CSV."""

from __future__ import annotations

import re

import pytest

from tests.builders import STORE, new_order, paid_order
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


async def test_a_method_of_payment_is_written_as_everywhere(store: World) -> None:
    order = await new_order(store, 1, (1, 1))
    await store.post(f"{STORE}/orders/{order['id']}/pay", {"transaction_id": "a", "payment_method": "apple_pay"})
    assert "Apple Pay" in (await (await visitor(store, "owner")).get("/analytics")).text


async def test_the_shown_figures_can_be_exported(store: World) -> None:
    visits = await visitor(store, "read_only")
    path = "/analytics?from=2026-11-14&to=2026-11-15&format=csv"
    files = [(await visits.get(path + of)).text.splitlines() for of in ("", "&of=products", "&of=customers")]
    assert files[0][-1].startswith("2026-11-15")
    assert files[1][1].endswith(",1,2,40.00")
    assert files[2][1] == "1,Jun Park,jun@park.example,1,40.00"


async def test_one_day_is_shown_by_the_hour_in_the_zone_of_the_store(store: World) -> None:
    berlin = World(store.db, clock=store.clock, timezone="Europe/Berlin")
    visits = await visitor(berlin, "read_only")
    page = (await visits.get("/analytics?from=2026-11-15&to=2026-11-15")).text
    assert ("<th>Hour</th>" in page, "<th>Day</th>" in page) == (True, False)
    assert re.findall(r"<title>([^<]+): \$40", page) == ["13:00"]
    two_days = (await visits.get("/analytics?from=2026-11-14&to=2026-11-15")).text
    assert re.findall(r"<title>([^<]+): \$40", two_days) == ["15 Nov, 13:00"]
    lines = (await visits.get("/analytics?from=2026-11-15&to=2026-11-15&format=csv")).text.splitlines()
    assert lines[0].endswith("From (Europe/Berlin)," + lines[0].partition(",")[2])
    assert [line.split(",")[0] for line in lines[1:] if "40.00" in line] == ["2026-11-15 13:00:00"]
    await berlin.close()


async def test_the_tax_of_a_quarter_is_shown_by_country_with_the_orders_whose_countries_differ(store: World) -> None:
    await paid_order(store, 1, (1, 1), tax_total="3.19", tax_rate="19", tax_country="DE", billing_country="DE")
    german = {"tax_total": "3.19", "tax_country": "DE", "billing_country": "DE", "payment": {"country": "FR"}}
    order = await paid_order(store, 1, (1, 1), **german)
    await store.post(f"{STORE}/orders/{order['id']}/refund", {"amount": "5.00"})
    visits = await visitor(store, "read_only")
    page = (await visits.get("/analytics/tax")).text
    assert [text in page for text in ("2026-Q4", "$5.58", "$29.42", "ORD-000003", "FR")] == [True] * 5
    assert "ORD-000002" not in page
    assert "No order was paid" in (await visits.get("/analytics/tax?quarter=2026-Q3")).text
    file = await visits.get("/analytics/tax?quarter=2026-Q4&format=csv")
    assert 'filename="tax-2026-Q4.csv"' in file.headers["content-disposition"]
    assert [line.split(",")[-1] for line in file.text.splitlines()] == ["contradicts", "no", "no", "yes"]
    assert (await visits.get("/analytics/tax?quarter=x")).status_code == 422


async def test_the_figures_show_the_tax_and_what_is_left_of_the_revenue(store: World) -> None:
    await paid_order(store, 1, (1, 1), tax_total="3.19")
    visits = await visitor(store, "read_only")
    query = "/analytics?from=2026-11-15&to=2026-11-15"
    assert "$57 net of tax" in (await visits.get(query)).text
    lines = (await visits.get(f"{query}&format=csv")).text.splitlines()
    assert lines[0].endswith("Net revenue,Tax,Net of tax,Discounts")
    assert sum(float(line.split(",")[-2]) for line in lines[1:]) == 56.81


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("from=x&to=y", "Enter the first and the last day."),
        ("from=2026-11-15", "Enter the first and the last day."),
        ("from=2026-11-15&to=2026-11-01", "The first day must not be after the last."),
        ("from=1000-01-01&to=9000-12-31", "Choose days from 1970 to 9000."),
        ("from=2014-01-01&to=2026-11-15", "Choose at most ten years."),
    ],
)
async def test_an_invalid_range_is_said_over_the_form_and_has_no_file(store: World, query: str, sentence: str) -> None:
    visits = await visitor(store, "read_only")
    for path in ("/analytics", "/analytics/growth"):
        page = (await visits.get(f"{path}?{query}")).text
        assert (sentence in page, '<details class="select" open>' in page) == (True, True), path
        file = await visits.get(f"{path}?{query}&format=csv")
        assert (file.status_code, sentence in file.text) == (422, True), path
