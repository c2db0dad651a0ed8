"""Orders in the console: the list with its filters, the timeline of an order, and its actions."""

from __future__ import annotations

import csv
import io
import re

import pytest

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.services import fraud as fraud_service
from lootkeep.storage import audit as audit_db
from tests.builders import STORE, new_customer, new_order, new_product
from tests.console.visits import visitor
from tests.world import World

NUMBER = re.compile(r"<code>(ORD-\d+)</code>")


async def status(world: World, order_id: int = 1) -> str:
    return str((await world.get(f"/orders/{order_id}")).json()["data"]["status"])


async def test_the_list_is_filtered_sorted_and_paged_by_its_url(store: World) -> None:
    for quantity in (5, 3):
        await new_order(store, 1, (1, quantity), external_id=f"cart-{quantity}")
    visits = await visitor(store, "read_only")
    expected = {
        "": ["ORD-000003", "ORD-000002", "ORD-000001"],
        "?status=paid": ["ORD-000001"],
        "?sort=total&order=asc": ["ORD-000001", "ORD-000003", "ORD-000002"],
        "?search=ord-000002": ["ORD-000002"],
        "?external_id=cart-5": ["ORD-000002"],
        "?search=cart-3": ["ORD-000003"],
        "?page=2": [],
        "?customer_id=7": [],
    }
    assert {query: NUMBER.findall((await visits.get(f"/orders{query}")).text) for query in expected} == expected
    assert "External id <code>cart-5</code>" in (await visits.get("/orders/2")).text
    assert "Nothing passes these filters" in (await visits.get("/orders?customer_id=7")).text


@pytest.mark.parametrize("query", ["customer_id=x", "from=yesterday", "page=x&sort=nothing&order=x"])
async def test_an_invalid_url_is_rejected_or_ignored(store: World, query: str) -> None:
    answer = await (await visitor(store, "read_only")).get(f"/orders?{query}")
    assert answer.status_code == (200 if query.startswith("page") else 422)


async def test_days_begin_in_the_zone_of_the_store(store: World) -> None:
    berlin = World(store.db, clock=store.clock, timezone="Pacific/Kiritimati")
    visits = await visitor(berlin, "read_only")
    # Noon in UTC is two in the morning of the next day there.
    pages = [
        NUMBER.findall((await visits.get(f"/orders?from={day}&to={day}")).text) for day in ("2026-11-15", "2026-11-16")
    ]
    assert pages == [[], ["ORD-000001"]]
    assert "1–1 of 1" in (await visits.get("/orders?from=2026-11-16")).text
    await berlin.close()


async def test_the_export_has_the_rows_as_filtered_and_nothing_that_a_spreadsheet_executes(store: World) -> None:
    other_customer = await new_customer(store, name='=HYPERLINK("http://evil.example")')
    await new_order(store, other_customer["customer"]["id"], (1, 1))
    answer = await (await visitor(store, "read_only")).get("/orders?status=pending&format=csv")
    assert answer.headers["content-type"].startswith("text/csv")
    (row,) = csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff")))
    shown = [row[name] for name in ("Order", "Customer", "Status", "Total")]
    assert shown == ["ORD-000002", '\'=HYPERLINK("http://evil.example")', "Pending", "20.00"]


async def test_a_timeline_shows_what_happened_and_why_nothing_was_sent(store: World) -> None:
    body = {"url": "https://hooks.example/bot", "events": ["order.completed"]}
    assert (await store.post("/webhooks", body)).status_code == 201
    await new_order(store, 1, (1, 1))
    queued = await (await visitor(store, "read_only")).get("/orders/2")
    assert queued.text.count("it is queued") == 2
    page = await (await visitor(store, "read_only")).get("/orders/1")
    titles = re.findall(r"<h3>([^<]+)</h3>", page.text)
    checked = [title for title in titles if title.startswith("Checked: score")]
    assert titles == ["Placed", *checked, "Paid", "Sent to no receiver"]
    assert page.text.count("Not sent: this webhook was created later.") == 2
    # The events of one reason are one row.
    assert page.text.count("<code>order.created</code> <code>order.paid</code>") == 2


async def test_steps_of_an_order_are_performed_and_logged_with_their_changes(store: World) -> None:
    visits = await visitor(store, "staff")
    done = await visits.post("/orders/1/fulfill", on="/orders/1")
    assert (done.status_code, done.headers["location"]) == (303, "/console/orders/1")
    page = await visits.get("/orders/1")
    assert "ORD-000001 is fulfilled." in page.text
    assert "ORD-000001 is fulfilled." not in (await visits.get("/orders/1")).text
    async with store.db.read() as tx:
        (entry,) = await audit_db.changes_since(tx, "order:1", Instant(0))
    assert (entry.action, entry.user_name, entry.changes) == (
        "Mark fulfilled",
        "The staff",
        [("status", "paid", "completed")],
    )
    assert entry.ip_address == "127.0.0.1"


async def test_the_refund_form_shows_its_errors(store: World) -> None:
    visits = await visitor(store, "staff")
    form = {"on": "/orders/1/refund"}
    for amount in ("none", "0", "-1", "1.234", "99999"):
        wrong = await visits.post("/orders/1/refund", **form, amount=amount)
        assert (wrong.status_code, 'aria-invalid="true"' in wrong.text) == (422, True), amount
    assert await status(store) == "paid"
    assert (await visits.post("/orders/1/refund", **form, amount="10.00", reason="Late")).status_code == 303
    assert await status(store) == "partially_refunded"


async def test_a_refunded_order_offers_no_refund_and_says_what_its_page_shows(store: World) -> None:
    visits = await visitor(store, "staff")
    for amount in ("10.00", ""):
        await visits.post("/orders/1/refund", on="/orders/1/refund", amount=amount, confirmed="yes")
    page = (await visits.get("/orders/1")).text
    assert re.findall(r"<h3>(?:<bdi>)?(Refunded[^<]*|The rest[^<]*)", page) == [
        "Refunded in part",
        "The rest was refunded",
    ]
    refused = await visits.get("/orders/1/refund")
    assert (refused.status_code, "is refunded and cannot be refunded" in refused.text) == (409, True)


async def test_a_partly_refunded_order_is_marked_fulfilled_once(store: World) -> None:
    await store.post(f"{STORE}/orders/1/refund", {"amount": "1.00"})
    visits = await visitor(store, "staff")
    assert "Mark fulfilled" in (await visits.get("/orders/1")).text
    await visits.post("/orders/1/fulfill", on="/orders/1")
    assert "Mark fulfilled" not in (await visits.get("/orders/1")).text
    assert await status(store) == "partially_refunded"


async def test_irreversible_steps_ask_for_confirmation(store: World) -> None:
    await new_order(store, 1, (1, 1))
    visits = await visitor(store, "staff")
    asked = await visits.post("/orders/2/cancel", on="/orders/2", reason="Asked to")
    assert (asked.status_code, 'name="reason" value="Asked to"' in asked.text) == (200, True)
    assert await status(store, 2) == "pending"
    await visits.post("/orders/2/cancel", on="/orders/2", reason="Asked to", confirmed="yes")
    assert await status(store, 2) == "cancelled"


async def test_a_stale_form_changes_nothing_and_shows_who_changed_what(store: World) -> None:
    slow, quick = await visitor(store, "owner"), await visitor(store, "staff")
    page = await slow.get("/orders/1/refund")
    version = re.findall(r'name="version" value="(\d+)"', page.text)[0]
    store.clock.advance(MINUTE)
    await quick.post("/orders/1/fulfill", on="/orders/1")
    stale = await slow.post("/orders/1/refund", on="/orders/1", version=version, amount="1.00")
    assert (stale.status_code, await status(store)) == (409, "completed")
    assert "The staff" in stale.text
    assert "status: <bdi>paid</bdi> → <b><bdi>completed</bdi></b>" in stale.text


async def test_a_step_forbidden_by_the_status_is_rejected_on_the_page(store: World) -> None:
    answer = await (await visitor(store, "staff")).post("/orders/1/cancel", on="/orders/1", confirmed="yes")
    assert answer.status_code == 409
    assert "ORD-000001 is paid and cannot be cancelled." in answer.text


async def test_a_held_order_is_approved_with_the_reasons_shown(world: World) -> None:
    fraud_settings = {"fraud_detection_enabled": True, "fraud_action": "verify", "fraud_sensitivity_level": "high"}
    await fraud_service.change_settings(world.deps, fraud_settings)
    await new_product(world)
    customer = (await new_customer(world))["customer"]
    order = {"customer_id": customer["id"], "items": [{"product_id": 1, "quantity": 1}], "user_agent": "curl/8"}
    await world.post(f"{STORE}/orders", order | {"ip_address": "203.0.113.9"})
    assert await status(world) == "on_hold"
    visits = await visitor(world, "staff")
    page = await visits.get("/orders/1")
    assert ("Held for review" in page.text, page.text.count('class="meter')) == (True, 2)
    await visits.post("/orders/1/approve", on="/orders/1", notes="Known from the forum.")
    assert await status(world) == "pending"
    assert "Approved by The staff" in (await visits.get("/orders/1")).text


async def test_a_dispute_and_its_outcome_are_part_of_the_timeline(store: World) -> None:
    for kind, reason in (("dispute", "fraudulent"), ("dispute_lost", "other")):
        store.clock.advance(MINUTE)
        report = {"kind": kind, "reason": reason}
        assert (await store.post(f"{STORE}/orders/1/dispute", report)).status_code == 201
    page = (await (await visitor(store, "read_only")).get("/orders/1")).text
    titles = re.findall(r"<h3>([^<]+)</h3>", page)
    assert titles.index("Paid") < titles.index("Payment disputed") < titles.index("Dispute lost")
    assert page.count("The owner of the card did not buy.") == 1
