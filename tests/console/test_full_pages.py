"""Pages of a store whose every text is as long as it may be, with more rows than a page holds: they stay small."""

from __future__ import annotations

import pytest

from lootkeep.console.pages import PAGES
from lootkeep.domain.support_tickets import MAX_MESSAGE_LENGTH
from lootkeep.kernel.clock import MINUTE
from tests.api.campaigns import make
from tests.api.claiming import new_tier
from tests.builders import STORE, new_alert, new_customer, new_gift_card, new_order, new_product, new_ticket, referred
from tests.console.visits import MAIL, MAX_PAGE_BYTES, path_of, visitor
from tests.world import World

# Three bytes each.
LONG = "勇" * 255
ROWS = 27
# Files, and the form that holds a whole e-mail to be edited.
WHOLE = ("/customers/{id}/export", MAIL, "/campaigns/{id}/edit")


@pytest.fixture
async def full(world: World) -> World:
    await world.put("/fraud/settings", {"fraud_detection_enabled": False})
    first = await new_customer(world, name=LONG, note="勇" * 2000)
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
