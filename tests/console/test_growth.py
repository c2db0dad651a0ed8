"""Growth in the console: cohorts, the way to a second order, revenue over time, campaigns and coupons, and files."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree

from sqlalchemy import update

from lootkeep.kernel.clock import DAY, HOUR, iso
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import campaign_recipients, email_campaigns
from tests.api.campaigns import make, reader
from tests.builders import new_customer, new_product, paid_order
from tests.console.visits import Visitor, visitor
from tests.world import World


async def rows(visits: Visitor, name: str, query: str = "period=this_year") -> list[list[str]]:
    answer = await visits.get(f"/analytics/growth?{query}&format=csv&of={name}")
    assert answer.status_code == 200, answer.text
    return [*csv.reader(io.StringIO(answer.text.removeprefix("\ufeff")))]


async def test_cohorts_count_who_came_back_in_each_month_after_the_first_order(world: World) -> None:
    product = (await new_product(world))["id"]
    people = [(await new_customer(world))["customer"]["id"] for _ in range(3)]
    for person in people:
        await paid_order(world, person, (product, 1))
    await paid_order(world, people[0], (product, 1))
    world.clock.advance(31 * DAY)
    await paid_order(world, people[0], (product, 1))
    late = (await new_customer(world))["customer"]["id"]
    await paid_order(world, late, (product, 1))
    visits = await visitor(world, "read_only")
    table = await rows(visits, "cohorts")
    assert table[-2:] == [["Nov 2026", "3", "1"], ["Dec 2026", "1"]]
    page = (await visits.get("/analytics/growth?period=this_year")).text
    assert "33" in re.findall(r'title="1">([^<]*)<', page)[0]
    assert await rows(visits, "funnel") == [
        ["Step", "Customers", "Share"],
        *(["Signed up", "4", "100.0 %"], ["Bought once", "4", "100.0 %"], ["Bought again", "1", "25.0 %"]),
    ]


async def test_revenue_of_a_product_and_a_country_is_a_chart_as_svg_and_csv(world: World) -> None:
    product = (await new_product(world, name="<VIP> & more"))["id"]
    buyer = (await new_customer(world))["customer"]["id"]
    await paid_order(world, buyer, (product, 2), billing_country="DE")
    visits = await visitor(world, "owner")
    page = (await visits.get("/analytics/growth?period=last_7_days")).text
    assert "&lt;VIP&gt; &amp; more" in page
    for name in (f"product-{product}", "country-DE"):
        days = await rows(visits, name, "period=last_7_days")
        today = iso(world.clock.now())[:10]
        assert [days[0], days[-1]] == [["From (UTC)", "Orders", "Revenue"], [today, "1", "40.00"]]
        picture = await visits.get(f"/analytics/growth?period=last_7_days&format=svg&of={name}")
        assert picture.headers["content-type"] == "image/svg+xml"
        assert ElementTree.fromstring(picture.text).tag.endswith("svg")
    for name in ("revenue", "orders"):
        picture = await visits.get(f"/analytics?format=svg&of={name}")
        assert ElementTree.fromstring(picture.text).tag.endswith("svg")
    for name, text in (("funnel", "Bought once"), ("cohorts", "+11")):
        picture = await visits.get(f"/analytics/growth?format=svg&of={name}")
        assert picture.headers["content-type"] == "image/svg+xml"
        assert text in ["".join(node.itertext()) for node in ElementTree.fromstring(picture.text)]
    assert (await visits.get("/analytics/growth?format=svg&of=nothing")).status_code == 404


async def test_campaigns_and_coupons_are_next_to_what_they_brought(world: World) -> None:
    product = (await new_product(world))["id"]
    await world.post("/coupons", {"code": "SALE20", "discount_type": "percentage", "discount_value": 20})
    people = [(await reader(world))["id"] for _ in range(2)]
    campaign = await make(world)
    await world.post(f"/email-campaigns/{campaign['id']}/send", {})
    async with world.db.write() as tx:
        clicked = campaign_recipients.c.customer_id == people[0]
        await tx.run(Query(update(campaign_recipients).where(clicked).values(clicked_at=world.clock.now())))
    world.clock.advance(HOUR)
    for person in people:
        await paid_order(world, person, (product, 1), coupon_code="SALE20")
    world.clock.advance(8 * DAY)
    await paid_order(world, people[0], (product, 1))
    visits = await visitor(world, "owner")
    assert (await rows(visits, "coupons"))[1:] == [["SALE20", "2", "8.00", "32.00"]]
    assert await rows(visits, "campaigns") == [["Campaign", "Sent", "Opened", "Clicked", "Orders", "Revenue"]]
    async with world.db.write() as tx:
        await tx.run(Query(update(email_campaigns).values(sent_count=2, clicked_count=1)))
    assert (await rows(visits, "campaigns"))[1:] == [["Winter sale", "2", "0", "1", "1", "16.00"]]


async def test_a_role_that_hides_revenue_sees_counts_only(world: World) -> None:
    product = (await new_product(world))["id"]
    buyer = (await new_customer(world))["customer"]["id"]
    await paid_order(world, buyer, (product, 2), billing_country="DE")
    visits = await visitor(world, "analytics:read", hides_revenue=True)
    page = (await visits.get("/analytics/growth?period=this_year")).text
    assert "Bought once" in page
    assert "$40" not in page
    for address in (f"/analytics/growth?format=svg&of=product-{product}", "/analytics/growth?format=csv&of=country-DE"):
        assert (await visits.get(address)).status_code == 404


async def test_a_store_without_orders_says_what_will_be_here(world: World) -> None:
    page = (await (await visitor(world, "owner")).get("/analytics/growth")).text
    assert "Buyers of the last 12 months, and how many come back." in page
    assert "Coupons of orders that were paid in this range." in page


async def test_an_axis_of_millions_is_short(world: World) -> None:
    buyer = (await new_customer(world))["customer"]["id"]
    product = (await new_product(world, price="999999.99"))["id"]
    visits = await visitor(world, "owner")
    await paid_order(world, buyer, (product, 1))
    await paid_order(world, buyer, (product, 2))
    for path in ("/analytics/growth", "/analytics"):
        ticks = re.findall(r"<span>(\$[^<]*)</span>", (await visits.get(path)).text)
        assert ticks[:4] == ["$3M", "$2M", "$1M", "$0"], path
