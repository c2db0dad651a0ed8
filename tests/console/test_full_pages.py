"""Pages of a store whose every text is as long as it may be, with more rows than a page holds: they stay small."""

from __future__ import annotations

import pytest
from markupsafe import escape
from sqlalchemy import bindparam, func, insert, select, update

from lootkeep.console.pages import PAGES
from lootkeep.domain.audiences import MAX_CUSTOMERS
from lootkeep.domain.campaign_emails import MAX_BODY
from lootkeep.domain.orders import MAX_LINES
from lootkeep.domain.tickets import MAX_MESSAGE_LENGTH
from lootkeep.kernel.clock import MINUTE, iso
from lootkeep.storage.campaigns import rows as campaigns_db
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import attempts, deliveries, events
from lootkeep.storage.webhooks import fan_out as fan_out_db
from tests.api.campaigns import make
from tests.api.claiming import new_tier
from tests.builders import (
    STORE,
    new_alert,
    new_customer,
    new_gift_card,
    new_order,
    new_product,
    new_ticket,
    paid_order,
    referred,
)
from tests.console.visits import MAIL, MAX_PAGE_BYTES, path_of, visitor
from tests.world import World

# Three bytes each.
LONG = "勇" * 255
ROWS = 27
# Files.
WHOLE = ("/customers/{id}/export", MAIL)
# Five bytes on a page, which is the most that a character can take.
WORST = "'"
ORDER_DELIVERY = "wh_00000000-0000-0000-0000-00000000000b"


async def test_growth_is_no_large_page_however_long_its_range_is(world: World) -> None:
    for number in range(4):
        buyer = (await new_customer(world))["customer"]["id"]
        product = (await new_product(world, name=LONG, price="999999.99"))["id"]
        await paid_order(world, buyer, (product, 9), billing_country=("BA", "CD", "GB", "US")[number])
    visits = await visitor(world, "owner")
    today = iso(world.clock.now())[:10]
    for first in ("2016-12-01", "2024-07-01", "2026-04-20", "2026-05-01", "2026-10-20"):
        page = await visits.get(f"/analytics/growth?from={first}&to={today}")
        assert (page.text.count('class="chart"'), len(page.content) <= MAX_PAGE_BYTES) == (8, True), first


@pytest.fixture
async def full(world: World) -> World:
    await world.put("/fraud/settings", {"fraud_detection_enabled": False})
    first = await new_customer(world, name=LONG)
    assert (await world.put(f"/customers/{first['customer']['id']}", {"note": "勇" * 2000})).is_success
    products = [await new_product(world, name=LONG, description="勇" * 20_000, category=LONG)]
    await new_tier(world, name=LONG, description="勇" * 1000)
    await make(world, name=LONG, subject=LONG, body_html=f"<p>{'x' * 400_000}</p>")
    for number in range(1, ROWS):
        # So that the rate limit lets everything through.
        world.clock.advance(MINUTE)
        await referred(world, first["customer"]["referral_code"], name=LONG, ip_address=f"198.51.100.{number}")
        products.append(await new_product(world, name=LONG, category=LONG, sku=f"{number:064}"))
        await new_order(world, 1, *((product["id"], 1) for product in products))
        await new_ticket(world, 1, subject="勇" * 200, message="勇" * MAX_MESSAGE_LENGTH)
        await new_gift_card(world, customer_id=1, recipient_name=LONG, message="勇" * 1000)
        await new_alert(world, name=LONG)
        await world.post(f"{STORE}/support-tickets/1/messages", {"message": "勇" * MAX_MESSAGE_LENGTH})
        await world.post("/webhooks", {"url": f"https://hooks.example/{'x' * 1500}/{number}", "events": ["order.*"]})
        await world.post("/fraud/lists", {"name": f"list_{number}", "kind": "device", "note": LONG})
        await world.post("/fraud/lists/1/entries", {"values": [f"{number}{LONG}"[:255]], "reason": "勇" * 1000})
        rule = {"name": "勇" * 60, "note": LONG, "expression": "total > 100 and is_vpn", "action": "flag"}
        await world.post("/fraud/rules", rule)
        await world.post("/fraud/whitelist/email", {"email": f"{'x' * 60}{number}@mail.example"})
    return world


async def test_no_page_of_a_full_store_is_large(full: World) -> None:
    visits = await visitor(full, "owner")
    paths = [path_of(page, {"{id}": "26"}) for page in PAGES if page.method == "GET" and page.path not in WHOLE]
    paths += [path_of(page) for page in PAGES if page.method == "GET" and page.path not in WHOLE]
    sizes = {path: len((await visits.get(path)).content) for path in dict.fromkeys(paths)}
    assert {path: size for path, size in sizes.items() if size > MAX_PAGE_BYTES} == {}


@pytest.fixture
async def largest(world: World) -> World:
    """The largest product, ticket, campaigns, order and delivery that the API takes."""
    await world.put("/fraud/settings", {"fraud_detection_enabled": False})
    await new_customer(world)
    await world.post("/webhooks", {"url": "https://hooks.example/bot", "events": ["order.created"]})
    products = [await new_product(world, name=WORST * 255, description=WORST * 20_000)]
    await new_ticket(world, 1, message=WORST * MAX_MESSAGE_LENGTH)
    await world.post(f"{STORE}/support-tickets/1/messages", {"message": WORST * MAX_MESSAGE_LENGTH})
    texts = {"body_html": WORST * MAX_BODY, "body_text": WORST * MAX_BODY}
    ids = [10**14 + number for number in range(MAX_CUSTOMERS)]
    await make(world, audience={"type": "customers", "customer_ids": ids})
    # One request may have 1 MiB.
    for name, text in texts.items():
        assert (await world.put("/email-campaigns/1", {name: text})).status_code == 200
    tags = [f"{number:03}{WORST * 61}" for number in range(100)]
    await make(world, audience={"type": "segment", "filters": {"tags": tags}})
    for number in range(1, MAX_LINES):
        if number % 30 == 0:
            world.clock.advance(MINUTE)
        products.append(await new_product(world, name=WORST * 255, sku=str(number)))
    await new_order(world, 1, *((product["id"], 1) for product in products))
    async with world.db.write() as tx:
        while await fan_out_db.fan_out(tx, lambda: ORDER_DELIVERY, world.clock.now()):
            pass
        attempted = {"delivery_id": 1, "outcome": "failed", "started_at": 0, "excerpt": WORST * 2048, "reason": "reset"}
        for number in range(1, 101):
            await tx.run(Query(insert(attempts).values(attempted | {"number": number})))
        await tx.run(Query(update(deliveries).values(attempts_count=bindparam("made"))), made=100)
    return world


async def test_the_largest_records_have_pages_of_the_usual_size_and_nothing_of_them_is_lost(largest: World) -> None:
    visits = await visitor(largest, "owner")
    async with largest.db.read() as tx:
        ((newest,),) = await tx.all(Query(select(func.max(events.c.id))))
    # What is too long for the page is a file behind it.
    files = {
        "/products/1": ("description", WORST * 20_000),
        "/products/1/edit": ("description", WORST * 20_000),
        "/tickets/1": ("2&before=3", WORST * MAX_MESSAGE_LENGTH),
        "/tickets/1?before=2": ("1&before=2", WORST * MAX_MESSAGE_LENGTH),
        "/campaigns/1/edit": ("body_html", WORST * MAX_BODY),
        "/campaigns/2": ("tags", None),
        f"/deliveries/{ORDER_DELIVERY}": ("attempt-100", WORST * 2048),
        f"/events/{newest}": ("data", None),
    }
    for path, (name, text) in files.items():
        page = await visits.get(path)
        assert (page.status_code, len(page.content) <= MAX_PAGE_BYTES) == (200, True), (path, len(page.content))
        assert f'href="?whole={escape(name)}"' in page.text, path
        whole = await visits.get(f"{path.partition('?')[0]}?whole={name}")
        assert whole.headers["content-disposition"].startswith("attachment")
        assert text is None or whole.text == text, path
    for path in ("/campaigns/1", "/orders/1", "/audit"):
        assert len((await visits.get(path)).content) <= MAX_PAGE_BYTES, path


async def test_what_is_too_long_for_a_form_stays_as_it_is_unless_something_is_entered(largest: World) -> None:
    visits = await visitor(largest, "staff")
    kept = "body_html\nbody_text\ncustomer_ids"
    form = {"name": "Spring sale", "subject": "Hi", "audience": "customers", "kept": kept, "body_text": "Hello."}
    assert (await visits.post("/campaigns/1/edit", on="/campaigns/1/edit", **form)).status_code == 303
    async with largest.db.read() as tx:
        campaign = await campaigns_db.ROWS.get(tx, 1)
    assert campaign is not None
    assert (campaign.name, campaign.body_html, campaign.body_text) == ("Spring sale", WORST * MAX_BODY, "Hello.")
    assert str(10**14 + MAX_CUSTOMERS - 1) in campaign.audience
