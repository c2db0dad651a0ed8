"""Changes of a customer in the console: edited, blocked, exported, erased."""

from __future__ import annotations

import json

from lootkeep.storage.schema import audit_log
from tests.builders import STORE, new_product, paid_order
from tests.console.visits import visitor
from tests.recount import rows
from tests.world import World

PAGE = "/customers/1"
FORM = {
    "name": "Jun P.",
    "email": "Jun@new.example",
    "country": "kr",
    "tags": "vip,  early bird , vip",
    "note": "Prefers e-mail.",
    "accepts_marketing": "yes",
    "email_status": "ok",
}


async def test_staff_edit_a_customer_and_the_log_says_what_changed(store: World) -> None:
    visits = await visitor(store, "staff")
    answer = await visits.post(f"{PAGE}/edit", on=f"{PAGE}/edit", **FORM)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/customers/1")
    customer = (await store.get("/customers/1")).json()["data"]
    assert (customer["name"], customer["email"], customer["country"]) == ("Jun P.", "jun@new.example", "KR")
    assert (customer["tags"], customer["note"]) == (["vip", "early bird"], "Prefers e-mail.")
    assert customer["consent_given_at"] == "2026-11-15T12:00:00Z"
    entry = (await rows(store.db, audit_log))[-1]
    assert (entry["action"], entry["record"]) == ("Change a customer", "customer:1")
    assert json.loads(entry["before"])["name"] == "Jun Park"
    page = (await visits.get(PAGE)).text
    assert 'href="/console/customers?tag=early+bird"' in page
    assert "Jun P." in (await visits.get("/customers?tag=vip")).text
    assert "Jun P." not in (await visits.get("/customers?tag=other")).text


async def test_an_invalid_form_names_every_field_and_a_stale_one_changes_nothing(store: World) -> None:
    visits = await visitor(store, "staff")
    wrong = {"name": " ", "email": "x", "country": "Korea", "tags": "x" * 51}
    answer = await visits.post(f"{PAGE}/edit", on=f"{PAGE}/edit", **FORM | wrong)
    assert answer.status_code == 422
    assert answer.text.count('class="field wrong"') == 4
    stale = await visits.post(f"{PAGE}/edit", on=f"{PAGE}/edit", **FORM, version="5")
    assert stale.status_code == 409
    assert (await store.get("/customers/1")).json()["data"]["name"] == "Jun Park"


async def test_a_customer_is_blocked_with_a_reason_and_unblocked(store: World) -> None:
    visits = await visitor(store, "staff")
    refused = await visits.post(f"{PAGE}/block", on=PAGE, status_reason=" ")
    assert (refused.status_code, "This must not be empty." in refused.text) == (422, True)
    assert (await visits.post(f"{PAGE}/block", on=PAGE, status_reason="Stolen card.")).status_code == 303
    assert "Stolen card." in (await visits.get(PAGE)).text
    assert (await store.get("/customers/1")).json()["data"]["status"] == "blocked"
    assert (await visits.post(f"{PAGE}/unblock", on=PAGE, status_reason="A mistake.")).status_code == 303
    assert (await store.get("/customers/1")).json()["data"]["status_reason"] == "A mistake."
    actions = [row["action"] for row in await rows(store.db, audit_log)]
    assert actions[-2:] == ["Block a customer", "Unblock a customer"]


async def test_an_unblock_says_what_would_still_stop_the_next_order(store: World) -> None:
    await new_product(store)
    order = await paid_order(store, 1, (1, 1))
    await store.post(f"{STORE}/orders/{order['id']}/dispute", {"kind": "dispute", "reason": "fraudulent"})
    visits = await visitor(store, "staff")
    await visits.post(f"{PAGE}/block", on=PAGE, status_reason="Stolen card.")
    await visits.post(f"{PAGE}/unblock", on=PAGE, status_reason="A mistake.")
    page = (await visits.get(PAGE)).text
    assert "An order like the latest would still be stopped: Several orders of a new customer;" in page
    assert "Earlier fraud, confirmed." in page


async def test_the_export_is_a_file(store: World) -> None:
    answer = await (await visitor(store, "staff")).get(f"{PAGE}/export")
    assert answer.headers["content-disposition"] == 'attachment; filename="customer-1.json"'
    assert answer.json()["customer"]["email"] == "jun@park.example"


async def test_an_owner_erases_a_customer_after_a_confirmation(store: World) -> None:
    visits = await visitor(store, "owner")
    asked = await visits.post(f"{PAGE}/erase", on=PAGE)
    assert "<h1><bdi>Jun Park</bdi>" in asked.text
    assert "Erase a customer? The personal data" in asked.text
    assert "cannot be restored" in asked.text
    assert (await visits.post(f"{PAGE}/erase", on=PAGE, confirmed="yes")).status_code == 303
    page = (await visits.get(PAGE)).text
    assert "Erased customer" in page
    assert "Personal data was erased." in page
    assert "jun@park.example" not in page
    assert "/erase" not in page
    entry = (await rows(store.db, audit_log))[-1]
    assert (entry["action"], entry["record"], entry["before"]) == ("Erase a customer", "customer:1", "{}")
    assert (await visits.post(f"{PAGE}/edit", **FORM)).status_code == 409


async def test_a_read_only_user_sees_no_buttons(store: World) -> None:
    page = (await (await visitor(store, "read_only")).get(PAGE)).text
    assert not any(f"{PAGE}/{change}" in page for change in ("edit", "block", "export", "erase"))
