"""Campaigns in the console: written, previewed, sent now or later, cancelled, and what came of them."""

from __future__ import annotations

import re

import pytest

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.storage import audit as audit_db, emails as emails_db
from tests.api.campaigns import in_state, make, read, reader
from tests.builders import new_product
from tests.console.visits import Visitor, visitor
from tests.world import World

FORM = {"name": "Winter sale", "subject": "20% off, {{ name }}", "body_html": "<p>Hello {{ name }}!</p>"}


async def created(visits: Visitor, **fields: str) -> str:
    answer = await visits.post("/campaigns/new", on="/campaigns/new", **(FORM | fields))
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/console")


async def test_a_campaign_is_written_previewed_and_sent(world: World) -> None:
    await reader(world, name="Ann <b>")
    visits = await visitor(world, "staff")
    path = await created(visits)
    page = await visits.get(path)
    assert "Send to 1 customer…" in page.text
    preview = await visits.get(f"{path}/mail")
    assert "Hello Ann &lt;b&gt;!" in preview.text
    asked = await visits.post(f"{path}/send", on=path)
    assert (asked.status_code, (await read(world, 1))["status"]) == (200, "draft")
    sent = await visits.post(f"{path}/send", on=path, confirmed="yes")
    assert sent.status_code == 303
    page = await visits.get(path)
    assert "goes out to 1 customer now" in page.text
    assert 'data-live="3"' in page.text
    async with world.db.read() as tx:
        changes = [entry.action for entry in await audit_db.changes_since(tx, "campaign:1", Instant(0))]
    assert sorted(changes) == ["Create campaign", "Send campaign"]


async def test_a_test_is_sent_from_the_page_of_a_campaign(world: World) -> None:
    visits = await visitor(world, "staff")
    path = await created(visits)
    refused = await visits.post(f"{path}/test", on=path, email="nobody")
    assert (refused.status_code, 'id="email-error"' in refused.text) == (422, True)
    sent = await visits.post(f"{path}/test", on=path, email="me@shop.example")
    assert sent.status_code == 303
    async with world.db.read() as tx:
        (email,) = await emails_db.newest(tx, None, 10)
    assert (email.to_email, email.subject) == ("me@shop.example", "[Test] 20% off, Jun Park")


async def test_a_test_of_a_role_that_masks_addresses_names_no_customer(store: World) -> None:
    visits = await visitor(store, "email-campaigns:read email-campaigns:write", masks_emails=True)
    campaign = await make(store, subject="For {{ email }}")
    path = f"/campaigns/{campaign['id']}"
    assert (await visits.post(f"{path}/test", on=path, email="me@shop.example")).status_code == 303
    async with store.db.read() as tx:
        (email,) = await emails_db.newest(tx, None, 1)
    assert email.subject == "[Test] For jun@example.com"


async def test_an_email_is_shown_in_a_sandbox_without_scripts(store: World) -> None:
    await make(store, body_html="<script>alert(1)</script><p>Hi</p>")
    preview = await (await visitor(store, "read_only")).get("/campaigns/2/mail")
    policy = preview.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    assert "allow-" not in policy
    assert "frame-ancestors 'self'" in policy


async def test_a_campaign_is_scheduled_in_the_zone_of_the_store_and_cancelled(world: World) -> None:
    berlin = World(world.db, clock=world.clock, timezone="Europe/Berlin")
    await reader(world)
    visits = await visitor(berlin, "staff")
    path = await created(visits)
    await visits.post(f"{path}/send", on=path, confirmed="yes", scheduled_at="2026-12-01T09:00")
    assert (await read(world, 1))["scheduled_at"] == "2026-12-01T08:00:00Z"
    assert "1 Dec 2026, 09:00" in (await visits.get(path)).text
    await visits.post(f"{path}/cancel", on=path, confirmed="yes")
    assert (await read(world, 1))["status"] == "cancelled"
    await berlin.close()


async def test_a_segment_is_chosen_by_its_conditions_and_shown_again_in_the_form(world: World) -> None:
    await reader(world, country="DE")
    await reader(world, country="FR")
    visits = await visitor(world, "staff")
    path = await created(
        visits, audience="segment", countries="de, Austria, germany", min_orders="0", registered_from="2026-01-01"
    )
    assert "Send to 1 customer…" in (await visits.get(path)).text
    form = (await visits.get(f"{path}/edit")).text
    assert 'value="Germany, Austria"' in form
    assert 'value="2026-01-01"' in form
    changed = await visits.post(f"{path}/edit", on=f"{path}/edit", **FORM, audience="all")
    assert changed.status_code == 303
    assert "Send to 2 customers…" in (await visits.get(path)).text


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"reply_to": "nobody"}, "reply_to"),
        ({"audience": "segment", "countries": "Nowhere"}, "countries"),
        ({"audience": "segment", "min_total_spent": "-1"}, "min_total_spent"),
        (
            {"audience": "segment", "registered_from": "2026-01-02", "registered_to": "2026-01-01"},
            "registered_from",
        ),
        ({"audience": "customers", "customer_ids": "x"}, "customer_ids"),
    ],
)
async def test_errors_are_shown_in_the_form_with_the_entered_values(
    world: World, wrong: dict[str, str], field: str
) -> None:
    visits = await visitor(world, "staff")
    answer = await visits.post("/campaigns/new", on="/campaigns/new", **(FORM | wrong))
    assert answer.status_code == 422
    assert f'id="{field}-error"' in answer.text
    assert "&lt;p&gt;Hello" in answer.text


async def test_a_campaign_changed_meanwhile_is_not_overwritten(world: World) -> None:
    slow, quick = await visitor(world, "owner"), await visitor(world, "staff")
    path = await created(slow)
    version = re.findall(r'name="version" value="(\d+)"', (await slow.get(f"{path}/edit")).text)[0]
    world.clock.advance(MINUTE)
    await quick.post(f"{path}/edit", on=f"{path}/edit", **(FORM | {"name": "Spring sale"}))
    stale = await slow.post(f"{path}/edit", on=path, **FORM, version=version)
    assert (stale.status_code, "The staff" in stale.text) == (409, True)


async def test_a_campaign_without_an_audience_or_already_sent_is_not_sent(world: World) -> None:
    visits = await visitor(world, "staff")
    path = await created(visits)
    for confirmed in ("", "yes"):
        answer = await visits.post(f"{path}/send", on=path, confirmed=confirmed)
        assert (answer.status_code, "Nobody in the audience can receive e-mails." in answer.text) == (422, True)
    over = await in_state(world, "sent")
    again = await visits.post(f"/campaigns/{over['id']}/send", on=path)
    assert (again.status_code, "cannot be undone" in again.text) == (409, False)
    answer = await visits.post(f"/campaigns/{over['id']}/cancel", on=path, confirmed="yes")
    assert answer.status_code == 409


async def test_a_draft_is_duplicated_and_deleted_and_the_list_is_filtered(world: World) -> None:
    visits = await visitor(world, "staff")
    path = await created(visits)
    await visits.post(f"{path}/duplicate", on=path)
    assert "1–2 of 2" in (await visits.get("/campaigns?status=draft")).text
    await visits.post(f"{path}/delete", on=path, confirmed="yes")
    assert "1–1 of 1" in (await visits.get("/campaigns?search=winter")).text
    assert (await visits.get(path)).status_code == 404


async def test_a_campaign_is_written_in_markdown_and_previewed_as_its_first_reader_sees_it(world: World) -> None:
    await reader(world, name="Ann <b>")
    await new_product(world, name="VIP rank")
    visits = await visitor(world, "staff")
    form = {"name": "Sale", "subject": "For {{ name }}", "written_in": "markdown", "body_html": "<p>Old</p>"}
    form |= {"body_markdown": "# Hi {{ name }}\n\n[](product:1)\n\n<script>alert(1)</script>"}
    for theme, rule in (("light", "@media not all"), ("dark", "@media all")):
        shown = await visits.post("/campaigns/preview", on="/campaigns/new", **form, theme=theme)
        assert shown.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        for piece in (
            "As <b>Ann &lt;b&gt;</b> sees it",
            "· For Ann &lt;b&gt;",
            "Hi Ann &lt;b&gt;</h1>",
            "VIP rank",
            rule,
        ):
            assert piece in shown.text, piece
        assert "<script" not in shown.text
    path = await created(visits, **form)
    stored = await read(world, 1)
    assert (stored["body_markdown"], stored["body_html"]) == (form["body_markdown"], None)
    edited = await visits.get(f"{path}/edit")
    assert 'value="markdown" checked' in edited.text
    assert "[](product:1)" in edited.text
    html = form | {"written_in": "html"}
    await visits.post(f"{path}/edit", on=f"{path}/edit", **html)
    stored = await read(world, 1)
    assert (stored["body_markdown"], stored["body_html"]) == (None, "<p>Old</p>")


async def test_the_editor_offers_products_and_coupons_to_those_who_may_see_them(store: World) -> None:
    scopes = "email-campaigns:read email-campaigns:write"
    offered = {scopes: [], f"{scopes} products:read": ["product:1"], f"{scopes} coupons:read": ["coupon:SALE20"]}
    for role, blocks in offered.items():
        page = (await (await visitor(store, role)).get("/campaigns/new")).text
        assert re.findall(r'<option value="\[\]\(([\w:]+)\)"', page) == blocks


async def test_a_preview_says_what_cannot_be_sent_and_stores_nothing(world: World) -> None:
    visits = await visitor(world, "staff")
    for markdown, sentence in (
        ("[](product:9)", "Line 1 shows a product that does not exist or is not for sale."),
        ("Dear {{ first_name }}", "unknown placeholder"),
        ("", "What you write is shown here."),
        ("x" * 60_000, "must not be longer"),
    ):
        form = {"written_in": "markdown", "body_markdown": markdown}
        shown = await visits.post("/campaigns/preview", on="/campaigns/new", **form)
        assert (shown.status_code, sentence in shown.text) == (200, True), shown.text
    wrong = await visits.post("/campaigns/preview", on="/campaigns/new", audience="segment", body_markdown="Hi")
    assert "A segment needs at least one condition." in wrong.text
    assert (await world.get("/email-campaigns")).json()["data"] == []


async def test_what_is_missing_is_said_before_sending_and_the_question_names_count_time_and_duration(
    world: World,
) -> None:
    for _ in range(2):
        await reader(world)
    visits = await visitor(world, "staff")
    within = await created(visits, written_in="markdown", body_markdown="See [a](product:1) and [b](product:1)")
    assert (await visits.get(within)).text.count("Line 1 has a product or a coupon within text.") == 1
    path = await created(visits, written_in="markdown", body_markdown="[](product:1)")
    page = (await visits.get(path)).text
    assert "Line 1 shows a product that does not exist or is not for sale." in page
    refused = await visits.post(f"{path}/send", on=path, confirmed="yes")
    assert (refused.status_code, "Nothing was sent." in refused.text) == (422, True)
    await new_product(world)
    page = (await visits.get(path)).text
    assert "Every placeholder, product and coupon is known." in page
    assert "It goes to 2 customers, in about 1 min at 300 e-mails a minute." in page
    asked = await visits.post(f"{path}/send", on=path)
    assert "It is sent to 2 customers now, in about 1 min at 300 e-mails a minute." in asked.text
    later = await visits.post(f"{path}/send", on=path, scheduled_at="2026-12-01T09:00")
    assert "It is sent to 2 customers on 1 Dec 2026, 09:00" in later.text
    assert (await read(world, 2))["status"] == "draft"
