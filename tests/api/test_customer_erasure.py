"""Personal data of a customer: exported, and erased wherever it is stored."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from lootkeep.storage.schema import audit_log, campaign_recipients, mails, metadata, sightings
from lootkeep.storage.webhooks import fan_out as fan_out_db
from tests.api import providers
from tests.api.campaigns import make
from tests.builders import STORE, new_customer, new_gift_card, new_order, new_product, new_ticket, paid_order
from tests.recount import maintained, outbox, recounted, rows
from tests.world import World

MONTHLY = {"billing_type": "recurring", "billing_interval": "month", "billing_interval_count": 1}
JUN = {
    "email": "jun@quill.example",
    "name": "Quill Park",
    "username": "quillp",
    "external_id": "quill-31",
    "ip_address": "203.0.113.201",
    "device_id": "quill-device",
    "accepts_marketing": True,
    "country": "KR",
}
# Of the person, in any form: what nobody may find afterwards.
MARKS = ("quill", "203.0.113.201", "203.0.113.202")


@pytest.fixture
async def shop(world: World) -> World:
    """Jun, of whom there is something everywhere, and Ann, a friend with an account and a card of her own."""
    await new_product(world, **MONTHLY)
    ann = (await new_customer(world, name="Ann", email="ann@a.example"))["customer"]
    jun = (await new_customer(world, **JUN, referral_code=ann["referral_code"]))["customer"]
    await new_customer(world, name="Friend", referral_code=jun["referral_code"])
    await _call(world, "PUT", f"{STORE}/customers/2", {"tags": ["quill-club"], "note": "quill note"})
    buyer_traits = {"ip_address": "203.0.113.202", "device_id": "quill-device", "user_agent": "Quill/1.0"}
    player = {"game": "minecraft", "name": "quillp"}
    order = await paid_order(world, 2, (1, 1), **buyer_traits, player=player, metadata={"player": "quillp"})
    await _call(world, "POST", f"/orders/{order['id']}/fulfill", {"note": "quill key sent"})
    await _call(world, "POST", f"{STORE}/orders/{order['id']}/refund", {"amount": "5.00", "reason": "quill reason"})
    await _call(
        world,
        "POST",
        f"/fraud/checks/{order['fraud']['check_id']}/review",
        {"outcome": "legitimate", "notes": "quill"},
    )
    cancelled = await new_order(world, 2, (1, 1), **buyer_traits)
    await _call(world, "POST", f"{STORE}/orders/{cancelled['id']}/cancel", {"reason": "quill reason"})
    await _call(world, "POST", f"{STORE}/subscriptions", {"customer_id": 2, "product_id": 1})
    await _call(world, "POST", "/fraud/whitelist/email", {"email": JUN["email"]})
    await new_ticket(world, 2, subject="My quill key", message="quill words")
    await _call(world, "POST", "/support-tickets/1/messages", {"message": "Dear Quill Park"})
    await new_gift_card(world, recipient_email=JUN["email"], recipient_name="Quill", message="For quill")
    await new_gift_card(world, customer_id=1, recipient_email="mina@m.example", sender_name="Ann")
    campaign = await make(world)
    await _call(world, "POST", f"/email-campaigns/{campaign['id']}/send", {})
    await _call(world, "POST", "/webhooks", {"url": "https://hooks.example/", "events": ["order.paid"]})
    creator = {"name": "Quill Plays", "code": "PENPAL", "commission_percent": 50, "hold_days": 0, "customer_id": 2}
    await _call(world, "POST", "/creators", creator)
    await paid_order(world, 1, (1, 1), coupon_code="PENPAL")
    await _call(world, "POST", "/creators/1/payouts", {"amount": "1.00", "reference": "to Quill Park"})
    source = await providers.new_source(world)
    for number, order_id in enumerate((1, None), 1):
        named = providers.charge(order_id, billing_details={"email": JUN["email"]})
        await providers.send(world, source, providers.event("charge.failed", named, number))
    await providers.work(world)
    async with world.db.write() as tx:
        await fan_out_db.fan_out(tx, world.deps.ids.secret, world.clock.now())
    return world


async def _call(world: World, method: str, path: str, body: dict[str, Any]) -> None:
    answer = await world.call(method, path, body)
    assert answer.is_success, answer.text


async def marks(world: World) -> dict[str, list[str]]:
    """By table, the rows in which something of the person is found."""
    traces: dict[str, list[str]] = {}
    for table in metadata.sorted_tables:
        texts = [str(row).lower() for row in await rows(world.db, table)]
        traces[table.name] = [text for text in texts if any(mark in text for mark in MARKS)]
    return {table: texts for table, texts in traces.items() if texts}


async def test_erasure_leaves_no_personal_data_anywhere(shop: World) -> None:
    assert set(await marks(shop)) >= {
        "customers",
        "orders",
        "events",
        "fraud_checks",
        "support_tickets",
        "mails",
        "payment_events",
        "creators",
        "creator_entries",
    }
    answer = await shop.delete(f"{STORE}/customers/2")
    assert answer.json() == {"success": True, "message": "Customer erased successfully"}
    assert await marks(shop) == {}
    for term in ("quill", "203.0.113"):
        for path in ("/customers", "/orders", "/support-tickets", "/gift-cards"):
            assert (await shop.get(f"{path}?search={term}")).json()["meta"]["total"] == 0, path


async def test_what_was_sent_to_an_earlier_email_is_exported_and_erased_too(shop: World) -> None:
    before = (await shop.get(f"{STORE}/customers/2/export")).json()["data"]
    for number in (1, 2):
        await _call(shop, "PUT", f"{STORE}/customers/2", {"email": f"other{number}@new.example", "name": "Other"})
    after = (await shop.get(f"{STORE}/customers/2/export")).json()["data"]
    assert after["former_emails"] == [JUN["email"], "other1@new.example"]
    for part in ("gift_cards", "emails", "payment_events"):
        assert after[part] == before[part], part
    await shop.delete(f"{STORE}/customers/2")
    assert await marks(shop) == {}


async def test_an_earlier_email_that_someone_else_has_by_now_is_theirs(shop: World) -> None:
    await _call(shop, "PUT", f"{STORE}/customers/2", {"email": "other@new.example"})
    await new_customer(shop, email=JUN["email"], name="Sister")
    await shop.delete(f"{STORE}/customers/2")
    assert (await shop.get("/gift-cards/1")).json()["data"]["recipient_email"] == JUN["email"]
    assert (await shop.get("/customers/4")).json()["data"]["email"] == JUN["email"]


async def test_orders_totals_and_evidence_stay_under_a_pseudonym(shop: World) -> None:
    before = (await shop.get("/orders/1")).json()["data"]
    check = (await shop.get(f"/fraud/checks/{before['fraud']['check_id']}")).json()["data"]["check"]
    sums = (await shop.get("/analytics/sales")).json()
    await shop.delete(f"{STORE}/customers/2")
    after = (await shop.get("/orders/1")).json()["data"]
    erased = {"id": 2, "name": "Erased customer", "email": "erased-2@erased.invalid"}
    unchanged = ("order_number", "status", "items", "total", "refunded_total", "paid_at", "fraud", "transaction_id")
    assert after["customer"] == erased
    assert {name: after[name] for name in unchanged} == {name: before[name] for name in unchanged}
    evidence = (await shop.get(f"/fraud/checks/{check['id']}")).json()["data"]["check"]
    assert (evidence["risk_score"], evidence["signals"]) == (check["risk_score"], check["signals"])
    assert evidence["ip_address"] is None
    customer = (await shop.get("/customers/2")).json()["data"]
    assert (customer["status"], customer["status_reason"]) == ("blocked", "Personal data was erased.")
    assert (customer["orders_count"], customer["referred_by"]["id"]) == (2, 1)
    assert customer["erased_at"] == "2026-11-15T12:00:00Z"
    top = sums["data"].pop("top_customers"), (await shop.get("/analytics/sales")).json()["data"]
    assert top[1].pop("top_customers")[0]["id"] == top[0][0]["id"]
    assert top[1] == sums["data"]
    assert await maintained(shop.db) == await recounted(shop.db)


async def test_subscriptions_end_and_events_carry_the_pseudonym(shop: World) -> None:
    await shop.delete(f"{STORE}/customers/2")
    subscription = (await shop.get(f"{STORE}/subscriptions/1")).json()["data"]
    assert (subscription["status"], subscription["customer"]["name"]) == ("cancelled", "Erased customer")
    events = await outbox(shop.db, "")
    people = {data["customer_email"] for _, data in events if data.get("customer_name") not in (None, "Friend")}
    assert people == {"erased-2@erased.invalid", "ann@a.example"}
    assert [kind for kind, _ in events[-2:]] == ["subscription.cancelled", "customer.erased"]


async def test_erasure_does_not_change_other_customers(shop: World) -> None:
    paths = ("/customers/1", "/gift-cards/2", "/customers/3")
    before = [(await shop.get(path)).json()["data"] for path in paths]
    await shop.delete(f"{STORE}/customers/2")
    after = [(await shop.get(path)).json()["data"] for path in paths]
    assert after[:2] == before[:2]
    assert after[2] == before[2] | {"referred_by": {"id": 2, "name": "Erased customer"}}
    assert [row["to_email"] for row in await rows(shop.db, mails)] == ["mina@m.example"]
    assert len(await rows(shop.db, campaign_recipients)) == 1


async def test_erasing_again_is_logged_once_and_changes_nothing(shop: World) -> None:
    answers = await asyncio.gather(*(shop.delete(f"{STORE}/customers/2") for _ in range(3)))
    assert [answer.status_code for answer in answers] == [200] * 3
    customer = (await shop.get("/customers/2")).json()["data"]
    traces = await rows(shop.db, sightings)
    shop.clock.advance(60_000_000)
    assert (await shop.delete(f"{STORE}/customers/2")).status_code == 200
    assert (await shop.get("/customers/2")).json()["data"] == customer
    assert await rows(shop.db, sightings) == traces
    entries = [row for row in await rows(shop.db, audit_log) if row["record"] == "customer:2"]
    assert [(row["action"], row["user_id"]) for row in entries] == [("Erase a customer", 1)]


async def test_an_erased_customer_cannot_be_changed_or_order_but_may_register_again(shop: World) -> None:
    await shop.delete(f"{STORE}/customers/2")
    changed = await shop.put(f"{STORE}/customers/2", {"status": "active"})
    assert (changed.status_code, changed.json()["code"]) == (409, "customer_erased")
    assert (await new_customer(shop, **JUN))["customer"]["id"] == 4
    assert (await shop.delete(f"{STORE}/customers/99")).status_code == 404


async def test_an_order_that_is_placed_during_erasure_leaves_nothing_behind(shop: World) -> None:
    body = {"customer_id": 2, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.202"}
    answers = await asyncio.gather(
        shop.post(f"{STORE}/orders", body), shop.delete(f"{STORE}/customers/2"), shop.post(f"{STORE}/orders", body)
    )
    assert answers[1].status_code == 200
    assert {answer.status_code for answer in (answers[0], answers[2])} <= {201, 422}
    assert await marks(shop) == {}


async def test_an_order_that_is_paid_during_erasure_leaves_nothing_behind(shop: World) -> None:
    await new_product(shop, name="Card", delivery_type="gift_card", price="5.00")
    orders = [await new_order(shop, 2, (2, 1), ip_address="203.0.113.202") for _ in range(3)]
    paid = [shop.post(f"{STORE}/orders/{order['id']}/pay", {"transaction_id": f"t{order['id']}"}) for order in orders]
    answers = await asyncio.gather(*paid[:2], shop.delete(f"{STORE}/customers/2"), *paid[2:])
    assert [answer.status_code for answer in answers] == [200] * 4
    assert await marks(shop) == {}


async def test_the_export_holds_all_data_of_the_person_and_none_of_others(shop: World) -> None:
    data = (await shop.get(f"{STORE}/customers/2/export")).json()["data"]
    assert data["customer"] == (await shop.get("/customers/2")).json()["data"]
    counts = {name: len(value) for name, value in data.items() if isinstance(value, list)}
    assert counts == {
        "former_emails": 0,
        "orders": 3,
        "subscriptions": 1,
        "support_tickets": 1,
        "gift_cards": 1,
        "referred": 1,
        "claims": 0,
        "creators": 1,
        "creator_ledger": 2,
        "fraud_checks": 2,
        "traces": 5,
        "payment_events": 2,
        "goods": 2,
        "emails": 3,
        "changes": 0,
    }
    assert [message["body"] for message in data["support_tickets"][0]["messages"]] == [
        "quill words",
        "Dear Quill Park",
    ]
    assert {trace["kind"]: trace["value"] for trace in data["traces"]}["device"] == "quill-device"
    assert not any(word in json.dumps(data) for word in ("Friend", "mina@m.example", "ann@a.example"))
    assert (await shop.get(f"{STORE}/customers/99/export")).status_code == 404


async def test_nothing_more_is_accepted_for_a_customer_whose_data_was_erased(shop: World) -> None:
    await shop.delete(f"{STORE}/customers/2")
    before = {table.name: len(await rows(shop.db, table)) for table in metadata.sorted_tables}
    lines = {"items": [{"product_id": 1, "quantity": 1}], "ip_address": "192.0.2.1"}
    for path, body in (
        (f"{STORE}/support-tickets", {"customer_id": 2, "subject": "Hello", "message": "quill again"}),
        (f"{STORE}/support-tickets/1/messages", {"message": "quill again"}),
        ("/support-tickets/1/messages", {"message": "Dear Quill"}),
        ("/support-tickets/1/close", {"message": "Dear Quill"}),
        (f"{STORE}/orders", {"customer_id": 2} | lines),
        (f"{STORE}/subscriptions", {"customer_id": 2, "product_id": 1}),
        (f"{STORE}/gift-cards", {"customer_id": 2, "initial_balance": 5}),
        (f"{STORE}/customers/2/claims", {"tier_id": 1}),
        ("/creators", {"customer_id": 2, "name": "Quill", "code": "AGAIN", "commission_percent": 5}),
    ):
        answer = await shop.post(path, body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["message"] == (
            "The personal data of this customer was erased: nothing more is accepted for them."
        )
        assert {table.name: len(await rows(shop.db, table)) for table in metadata.sorted_tables} == before, path
