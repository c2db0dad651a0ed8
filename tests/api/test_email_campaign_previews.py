"""A campaign's e-mail before it is sent: rendered, sent as a test, and refused with unknown placeholders."""

from __future__ import annotations

import re

import pytest

from lootkeep.kernel.clock import MINUTE
from lootkeep.services.campaign_previews import TESTS_PER_MINUTE
from lootkeep.storage import emails as emails_db
from tests.api.campaigns import PATH, make, reader
from tests.worker.campaigning import email_status
from tests.world import World

BODY = '<p>Hi {{ name }} ({{ email }}, {{ referral_code }})</p><a href="https://shop.example/">Shop</a>'


async def test_a_preview_is_filled_in_for_a_customer_of_the_audience(world: World) -> None:
    ann = await reader(world, name="Ann <b>", email="ann@mail.example")
    campaign = await make(world, body_html=BODY, from_name="Dragon Shop", reply_to="help@shop.example")
    data = (await world.get(f"{PATH}/{campaign['id']}/preview")).json()["data"]
    assert data["reader"] == {"id": ann["id"], "name": "Ann <b>", "email": "ann@mail.example"}
    assert (data["subject"], data["from_name"], data["reply_to"]) == (
        "Hello Ann <b>",
        "Dragon Shop",
        "help@shop.example",
    )
    assert f"Hi Ann &lt;b&gt; (ann@mail.example, {ann['referral_code']})" in data["html"]
    assert f"Hi Ann <b> (ann@mail.example, {ann['referral_code']})" in data["text"]
    assert 'href="https://shop.example/"' in data["html"]


async def test_a_preview_is_filled_in_for_a_given_customer_who_must_exist(world: World) -> None:
    await reader(world)
    other_reader = await reader(world, name="Zoe")
    campaign = await make(world)
    preview = await world.get(f"{PATH}/{campaign['id']}/preview?customer_id={other_reader['id']}")
    assert preview.json()["data"]["subject"] == "Hello Zoe"
    refused = await world.get(f"{PATH}/{campaign['id']}/preview?customer_id=999")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["customer_id"])
    assert (await world.get(f"{PATH}/999/preview")).status_code == 404


async def test_a_preview_of_an_empty_audience_uses_a_sample_customer(world: World) -> None:
    campaign = await make(world)
    data = (await world.get(f"{PATH}/{campaign['id']}/preview")).json()["data"]
    assert (data["reader"]["id"], data["subject"]) == (None, "Hello Jun Park")


async def test_the_links_of_a_preview_unsubscribe_nobody(world: World) -> None:
    customer = await reader(world)
    campaign = await make(world)
    data = (await world.get(f"{PATH}/{campaign['id']}/preview")).json()["data"]
    (link,) = re.findall(r'href="http://127.0.0.1:8000(/u/[^"]+)"', data["html"])
    assert (await world.http.get(link)).status_code == 200
    answer = await world.http.post(link)
    assert (answer.status_code, "This is the link of a test e-mail" in answer.text) == (200, True)
    assert await email_status(world, customer["id"]) == "ok"


async def test_a_test_is_queued_for_any_recipient_and_does_not_change_the_campaign(world: World) -> None:
    await reader(world, name="Ann")
    campaign = await make(world, body_html=BODY)
    answer = await world.post(f"{PATH}/{campaign['id']}/test", {"email": "me@shop.example"})
    assert answer.json()["data"] == {"sent_to": "me@shop.example", "subject": "[Test] Hello Ann"}
    async with world.db.read() as tx:
        (email,) = await emails_db.newest(tx, None, 10)
    assert (email.kind, email.to_email, email.status) == ("campaign_test", "me@shop.example", "queued")
    assert "Hi Ann" in emails_db.body_of(email, world.deps.vault.open).html
    assert (await world.get(f"{PATH}/{campaign['id']}")).json()["data"] == campaign


async def test_tests_are_limited(world: World) -> None:
    campaign = await make(world)
    path, body = f"{PATH}/{campaign['id']}/test", {"email": "me@shop.example"}
    for _ in range(TESTS_PER_MINUTE):
        assert (await world.post(path, body)).status_code == 200
    refused = await world.post(path, body)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_tests")
    world.clock.advance(MINUTE)
    assert (await world.post(path, body)).status_code == 200
    assert (await world.post(path, {"email": "nobody"})).status_code == 422


@pytest.mark.parametrize("field", ["subject", "preview_text", "body_html", "body_text"])
async def test_an_unknown_placeholder_is_rejected_with_the_known_ones(shared_world: World, field: str) -> None:
    campaign = await make(shared_world)
    wrong = {field: "Dear {{ first_name }}, {{name}} {{ <b> }}"}
    created = await shared_world.post(PATH, {"name": "N", "subject": "S"} | wrong)
    changed = await shared_world.put(f"{PATH}/{campaign['id']}", wrong)
    for answer in (created, changed):
        assert answer.status_code == 422
        ((sentence,),) = answer.json()["errors"].values()
        assert "unknown placeholder; known placeholders: {{ name }}, {{ email }}" in sentence
        assert "<b>" not in sentence
