"""Hostile names on every page that shows them."""

from __future__ import annotations

import pytest

from lootkeep.console.bulk import AREAS
from lootkeep.console.pages import PAGES
from lootkeep.services import canned_replies as canned_replies_service, users as users_service
from tests.api import providers
from tests.api.campaigns import make
from tests.api.claiming import new_tier
from tests.api.commanding import GIVE, bought, open_server, rank
from tests.builders import new_alert, new_customer, new_gift_card, new_product, new_ticket, paid_order
from tests.console.visits import SUPPORT, new_delivery, path_of, visitor
from tests.worker import bulk
from tests.world import World

SALE = {"code": "SALE20", "discount_type": "percentage", "discount_value": 20}
NAMES = {
    "script": "<script>alert(1)</script>",
    "attribute": "\"' onmouseover='alert(1)' x=\"",
    "template": "{{ 1234 * 5678 }}{% raw %}",
    "right to left": "\u202egnp.exe\u202c شركة",
    "long": "x" * 255,
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
async def test_a_hostile_name_is_shown_as_text_on_every_page(world: World, name: str) -> None:
    customer = (await new_customer(world, name=name))["customer"]
    product = await new_product(world, name=name)
    await paid_order(world, customer["id"], (product["id"], 1))
    await new_ticket(world, customer["id"], subject=name[:200])
    await new_gift_card(world, customer_id=customer["id"], recipient_name=name, sender_name=name, message=name)
    await new_tier(world, name=name, description=name)
    assert (await world.post("/coupons", SALE | {"note": name})).status_code == 201
    await new_alert(world, name=name)
    # What is in double braces in a subject is a placeholder, and must be a known one.
    await make(
        world,
        name=name,
        subject=name.replace("{{", "{"),
        audience={"type": "customers", "customer_ids": [customer["id"]]},
    )
    await new_delivery(world)
    await world.post("/fraud/lists", {"name": "mine", "kind": "device", "note": name})
    await world.post("/fraud/lists/1/entries", {"values": [name], "reason": name})
    rule = {"name": name[:60], "note": name, "expression": "device in @mine", "action": "flag"}
    assert (await world.post("/fraud/rules", rule)).status_code == 201
    printable = "".join(filter(str.isprintable, name))
    server = await open_server(world, name=printable)
    creator = {"name": printable[:100], "code": "LUNA", "commission_percent": 10}
    assert (await world.post("/creators", creator)).status_code == 201
    source = await providers.new_source(world, name=printable)
    named = providers.charge(None, metadata={"order_id": printable}, billing_details={"email": printable})
    await providers.send(world, source, providers.event("charge.succeeded", named))
    await bought(world, await rank(world, GIVE | {"text": printable}))
    await server.take()
    await server.report({"id": 1, "ok": False, "output": name, "retry": False})
    await users_service.create_role(world.deps, SUPPORT | {"name": printable})
    await canned_replies_service.create(
        world.deps, printable[:100], f"{name.replace('{{', '{')} {{{{ customer_name }}}}"
    )
    await bulk.one_of_each(world)
    await bulk.started(world, "customers", "block", [1], reason=name)
    await bulk.work(world)
    visits = await visitor(world, "owner")
    more = ["/search?q=ORD-1", f"/search?q={name[:20]}", f"/customers/bulk/{len(AREAS) + 1}"]
    paths = [path_of(page) for page in PAGES if page.method == "GET"] + more + ["/orders/2", "/orders/2/evidence"]
    for path in paths:
        answer = await visits.get(path, follow_redirects=True)
        assert answer.status_code in (200, 422), path
        if "content-disposition" in answer.headers:
            # A file is not shown: it is as it is.
            assert answer.headers["x-content-type-options"] == "nosniff"
            continue
        assert "<script>" not in answer.text, path
        assert "' onmouseover='" not in answer.text, path
        assert "7006652" not in answer.text, path


async def test_a_url_of_ten_thousand_or_control_characters_breaks_nothing(store: World) -> None:
    visits = await visitor(store, "owner")
    for text in ("x" * 10_000, "%00%01%ff", "%E2%80%AE", "a%20OR%201=1--", "<b>"):
        for path in ("/search?q=", "/orders?search=", "/orders?coupon_code=", "/orders?status=", "?period="):
            answer = await visits.get(path + text)
            # A status that is not known is refused.
            assert answer.status_code == (422 if "status" in path else 200), (path, text[:20])
            assert "<b></" not in answer.text
