"""Customers after they registered: found, changed, tagged, blocked, and their consent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from lootkeep.kernel.clock import DAY
from lootkeep.kernel.errors import existing
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.schema import customer_tags
from tests.api.sign_ups import CUSTOMERS, anna, sign_up
from tests.builders import STORE, honest_buyer, new_product, new_ticket
from tests.recount import maintained, outbox, recounted, rows
from tests.worker.delivering import waits_for_a_lock
from tests.world import World

FIELDS: dict[str, Any] = {
    "email": "Jun.Park@new.example",
    "name": "Jun P.",
    "username": "junp",
    "external_id": "shop-31",
    "country": "kr",
    "email_status": "bounced",
    "tags": ["vip", 'odd "tag"'],
    "note": "Prefers e-mail.",
}


async def change(world: World, **fields: Any) -> dict[str, Any]:
    answer = await world.put(f"{CUSTOMERS}/1", fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    # Not a part of the customer.
    del data["would_stop"]
    return data


async def test_a_customer_is_found_by_external_id_and_by_e_mail(world: World) -> None:
    await anna(world)
    jun = (await sign_up(world, external_id="shop/31 ä")).json()["data"]["customer"]
    for query in ({"external_id": "shop/31 ä"}, {"email": "JUN@j.example"}):
        answer = (await world.get(f"{STORE}/customers", params=query)).json()
        assert (answer["data"], answer["meta"]["total"]) == ([jun], 1)
    assert (await world.get(f"{STORE}/customers?external_id=other")).json()["data"] == []
    assert [row["id"] for row in (await world.get(f"{STORE}/customers")).json()["data"]] == [2, 1]
    assert (await world.get(f"{STORE}/customers/2")).json()["data"] == jun


async def test_every_field_that_is_sent_is_changed_and_no_other(world: World) -> None:
    before = (await sign_up(world, accepts_marketing=True)).json()["data"]["customer"]
    world.clock.advance(DAY)
    after = await change(world, **FIELDS)
    expected = {"email": "jun.park@new.example", "country": "KR", "updated_at": "2026-11-16T12:00:00Z"}
    assert after == before | FIELDS | expected
    assert (await world.get(f"{STORE}/customers/1")).json()["data"] == after
    again = await change(world, email_status="ok", username=None, note=None, tags=[])
    assert again == after | {"email_status": "ok", "username": None, "note": None, "tags": []}
    assert await maintained(world.db) == await recounted(world.db)
    (_, _, (_, event)) = await outbox(world.db, "")
    assert event["changes"] == ["username", "email_status", "tags", "note"]


async def test_an_update_without_a_change_keeps_the_modification_time(world: World) -> None:
    before = (await sign_up(world)).json()["data"]["customer"]
    world.clock.advance(DAY)
    assert await change(world, name="Jun Park", tags=[], status="active") == before
    assert await change(world) == before


async def test_consent_is_recorded_with_the_times_it_was_given_and_withdrawn(world: World) -> None:
    consenting = (await sign_up(world, accepts_marketing=True)).json()["data"]["customer"]
    assert (consenting["consent_given_at"], consenting["consent_withdrawn_at"]) == ("2026-11-15T12:00:00Z", None)
    world.clock.advance(DAY)
    withdrawn = await change(world, accepts_marketing=False)
    assert withdrawn["consent_given_at"] == "2026-11-15T12:00:00Z"
    assert withdrawn["consent_withdrawn_at"] == "2026-11-16T12:00:00Z"
    world.clock.advance(DAY)
    assert (await change(world, accepts_marketing=True))["consent_given_at"] == "2026-11-17T12:00:00Z"


async def test_a_customer_is_blocked_with_a_reason_and_unblocked(world: World) -> None:
    await sign_up(world)
    product = await new_product(world, billing_type="recurring", billing_interval="month", billing_interval_count=1)
    refused = await world.put(f"{CUSTOMERS}/1", {"status": "blocked"})
    assert refused.json()["errors"] == {
        "status_reason": ["The status reason field is required for a customer who is blocked."]
    }
    blocked = await change(world, status="blocked", status_reason="Charged back three orders.")
    assert (blocked["status"], blocked["status_reason"]) == ("blocked", "Charged back three orders.")
    order = {"customer_id": 1, "items": [{"product_id": product["id"], "quantity": 1}]} | honest_buyer(1)
    subscription = {"customer_id": 1, "product_id": product["id"]}
    for path, body in (("/orders", order), ("/subscriptions", subscription)):
        answer = await world.post(STORE + path, body)
        assert (answer.status_code, answer.json()["code"]) == (422, "customer_blocked")
    assert (await change(world, status="active"))["status_reason"] is None
    assert (await world.post(f"{STORE}/orders", order)).status_code == 201


@pytest.mark.parametrize("is_checked", [True, False])
async def test_no_order_is_placed_after_its_customer_was_blocked(world: World, is_checked: bool) -> None:
    """An order that waited for the block sees it; whatever was placed before it stays."""
    await sign_up(world)
    await new_product(world)
    await world.put("/fraud/settings", {"fraud_detection_enabled": is_checked})
    order = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}]} | honest_buyer(1)
    answers = await asyncio.gather(
        *(world.post(f"{STORE}/orders", order) for _ in range(3)),
        world.put(f"{CUSTOMERS}/1", {"status": "blocked", "status_reason": "Stolen card."}),
        *(world.post(f"{STORE}/orders", order) for _ in range(3)),
    )
    assert answers.pop(3).status_code == 200
    refused = [answer.json()["code"] for answer in answers if answer.status_code != 201]
    assert set(refused) <= {"customer_blocked"}
    assert (await world.get("/orders")).json()["meta"]["total"] == 6 - len(refused)


async def test_an_order_that_waits_for_a_block_is_rejected(world: World, db_location: Path | str) -> None:
    await sign_up(world)
    await new_product(world)
    body = {"customer_id": 1, "items": [{"product_id": 1, "quantity": 1}]} | honest_buyer(1)
    async with world.db.write() as tx:
        await customers_db.get_for_update(tx, 1)
        order = asyncio.create_task(world.post(f"{STORE}/orders", body))
        if isinstance(db_location, str):
            await waits_for_a_lock(db_location, order)
        customer = existing(await customers_db.ROWS.get(tx, 1), "Customer")
        await customers_db.save(tx, customer, replace(customer, status="blocked", status_reason="Stolen card."))
    assert (await order).json()["code"] == "customer_blocked"


async def test_a_taken_e_mail_or_external_id_names_its_customer(world: World) -> None:
    await sign_up(world)
    await anna(world, external_id="7")
    for field, value in (("email", "ANNA@a.example"), ("external_id", "7")):
        answer = await world.put(f"{CUSTOMERS}/1", {field: value})
        assert answer.status_code == 422
        sentence = f"The {field.replace('_', ' ')} field has already been taken by customer 2."
        assert answer.json()["errors"] == {field: [sentence]}


async def test_only_one_of_several_concurrent_changes_gets_an_e_mail(world: World) -> None:
    await sign_up(world)
    await anna(world)
    change = {"email": "wanted@j.example"}
    answers = await asyncio.gather(
        world.put(f"{CUSTOMERS}/1", change), world.put(f"{CUSTOMERS}/2", change), sign_up(world, **change)
    )
    assert sorted(answer.status_code for answer in answers)[1:] == [422, 422]
    assert len((await world.get(f"{STORE}/customers?email=wanted@j.example")).json()["data"]) == 1


async def test_tickets_are_found_by_the_new_name_and_e_mail(world: World) -> None:
    await sign_up(world)
    await new_ticket(world, 1)
    await change(world, name="Mina Kim", email="mina@k.example")
    stored = {
        term: (await world.get(f"/support-tickets?search={term}")).json()["meta"]["total"]
        for term in ("mina k", "@k.ex", "jun")
    }
    assert stored == {"mina k": 1, "@k.ex": 1, "jun": 0}


async def test_another_account_with_the_new_mailbox_is_the_same_person(world: World) -> None:
    code = (await sign_up(world)).json()["data"]["customer"]["referral_code"]
    await change(world, email="jun@new.example")
    answer = await sign_up(world, email="jun+2@new.example", referral_code=code)
    assert answer.json()["data"]["referral"]["reason"] == "self_referral"


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("email", None, "The email field must be a string."),
        ("email", "jun", "The email field must be a valid e-mail address."),
        ("name", " ", "The name field must not be blank."),
        ("country", "KOR", "The country field must be an ISO 3166-1 alpha-2 country code."),
        ("status", "gone", "The status field must be one of: active, blocked."),
        ("email_status", "no", "The email status field must be one of: ok, bounced, complained, unsubscribed."),
        ("tags", ["x"] * 2, "The tags field must not contain the same entry twice."),
        ("tags", [str(n) for n in range(51)], "The tags field must not have more than 50 entries."),
        ("tags", None, "The tags field must be a list."),
        ("note", "x" * 2001, "The note field must not be greater than 2000 characters."),
        ("status_reason", 5, "The status reason field must be a string."),
        ("accepts_marketing", 1, "The accepts marketing field must be true or false."),
    ],
)
async def test_a_bad_field_is_rejected_with_a_message(
    shared_world: World, field: str, value: Any, sentence: str
) -> None:
    await sign_up(shared_world)
    answer = await shared_world.put(f"{CUSTOMERS}/1", {field: value})
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]})


async def test_fifty_tags_of_fifty_characters_are_accepted_and_found(world: World) -> None:
    await sign_up(world)
    tags = [f"{number:02}".ljust(50, "ü") for number in range(50)]
    assert (await change(world, tags=tags))["tags"] == tags
    assert (await world.put(f"{CUSTOMERS}/1", {"tags": ["x" * 51]})).status_code == 422
    assert len(await rows(world.db, customer_tags)) == 50


async def test_an_unknown_customer_is_not_found(world: World) -> None:
    for answer in (await world.get(f"{CUSTOMERS}/9"), await world.put(f"{CUSTOMERS}/9", {"name": "X"})):
        assert (answer.status_code, answer.json()["message"]) == (404, "Customer not found.")


async def test_changing_needs_the_scope_to_write(world: World) -> None:
    await sign_up(world)
    answer = await world.put(f"{CUSTOMERS}/1", {"name": "X"}, token=await world.new_token("store:read"))
    assert answer.json()["message"] == "The token lacks the required scope store:write."
