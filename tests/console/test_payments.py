"""Payments in the console: what the provider said, what fits no order, and one button that settles it."""

from __future__ import annotations

import csv

from lootkeep.storage.schema import payment_sources
from tests.api import providers
from tests.api.providers import SECRET, an_order, charge, event, new_source, send, work
from tests.builders import STORE
from tests.console.visits import visitor
from tests.recount import rows
from tests.world import World


async def test_a_source_is_added_shows_its_url_and_gets_another_secret(world: World) -> None:
    staff = await visitor(world, "staff")
    assert "Add the first one" in (await staff.get("/payment-sources")).text
    fields = {"provider": "stripe", "name": "Main account", "secret": SECRET}
    assert (await staff.post("/payment-sources/new", **fields)).status_code == 303
    page = (await staff.get("/payment-sources/1")).text
    assert "/inbox/" in page
    assert SECRET not in page
    await staff.post("/payment-sources/1/edit", name="Shop", secret="whsec_another000", is_active="yes")
    (row,) = await rows(world.db, payment_sources)
    assert (row["name"], row["is_active"], row["previous_secret"] is not None) == ("Shop", True, True)
    assert "accepted until" in (await staff.get("/payment-sources/1")).text
    await staff.post("/payment-sources/1/edit", name="Shop 2", secret="", kept="secret", is_active="yes")
    (after,) = await rows(world.db, payment_sources)
    assert (after["name"], after["secret"]) == ("Shop 2", row["secret"])


async def test_a_payment_that_fits_no_order_needs_someone_and_is_settled_with_one_button(world: World) -> None:
    staff = await visitor(world, "staff")
    order_id = await an_order(world)
    await send(world, await new_source(world), event("charge.succeeded", charge(order_id, 1500)))
    await work(world)
    assert "1 payment event fits no order" in (await staff.get("")).text
    listed = (await staff.get("/payments?status=unmatched")).text
    assert "<b>Fits no order</b>: the amount differs (ORD-000001)" in listed
    page = (await staff.get("/payments/1")).text
    for text in ("ORD-000001 asks for <b>$20.00", "<b>$5.00 less", "Stripe reports <b>$15.00", "✗ amount", "✗ e-mail"):
        assert text in page
    assert "Apply, accept $5.00 less" in page
    refused = await staff.post("/payments/1/match", on="/payments/1", order_id="ORD-000001")
    assert "The amount differs from that of the order" in refused.text
    done = await staff.post("/payments/1/match", on="/payments/1", order_id="ORD-000001", accept_difference="yes")
    assert done.status_code == 303
    assert (await providers.order(world))["status"] == "paid"
    order_page = (await staff.get("/orders/1")).text
    assert "Paid ORD-000001" in order_page
    assert "payment event <bdi>1</bdi>" in (await (await visitor(world, "owner")).get("/audit")).text


async def test_an_event_of_another_store_is_left_and_needs_nobody_any_more(world: World) -> None:
    staff = await visitor(world, "staff")
    await send(world, await new_source(world), event("charge.succeeded", charge("other-shop")))
    await work(world)
    assert (await staff.post("/payments/1/leave", on="/payments/1", confirmed="yes")).status_code == 303
    assert await providers.results(world) == [("ignored", "order_not_found")]
    assert "<b>Ignored</b>: no order has its names or ids" in (await staff.get("/payments")).text
    assert "Leave it" not in (await staff.get("/payments/1")).text
    await an_order(world, external_id="other-shop")
    await work(world)
    assert (await providers.order(world))["status"] == "pending"


async def test_the_list_says_which_payments_are_held(world: World) -> None:
    staff = await visitor(world, "staff")
    order_id = await an_order(world)
    customer = (await providers.order(world))["customer"]["id"]
    await world.put(f"{STORE}/customers/{customer}", {"status": "blocked", "status_reason": "Charged back."})
    await providers.apply(world, event("charge.succeeded", charge(order_id)))
    assert "<b>Paid, held</b> ORD-000001: refund or release" in (await staff.get("/payments")).text
    assert "Paid, held ORD-000001" in (await staff.get("/payments?format=csv")).text


async def test_a_search_finds_events_by_order_payment_and_payer(world: World) -> None:
    staff = await visitor(world, "staff")
    await send(world, await new_source(world), event("charge.succeeded", charge("shop-9")))
    for term in ("shop-9", "pi_1", "payer@pay.example"):
        assert "charge.succeeded" in (await staff.get("/payments", params={"search": term})).text
    assert "charge.succeeded" not in (await staff.get("/payments", params={"search": "shop-8"})).text


async def test_a_file_of_payments_has_amounts_with_their_currency(world: World) -> None:
    order_id = await an_order(world)
    source = await new_source(world)
    await send(world, source, event("charge.succeeded", charge(order_id, 1550)))
    await send(world, source, event("customer.created", {"id": "cus_1"}, 2))
    staff = await visitor(world, "staff")
    lines = (await staff.get("/payments?format=csv&status=any")).text.removeprefix("\ufeff").splitlines()
    table = list(csv.DictReader(lines))
    assert [(row["Event"], row["Amount"], row["Currency"]) for row in table] == [
        ("charge.succeeded", "15.50", "USD"),
        ("customer.created", "", ""),
    ]
