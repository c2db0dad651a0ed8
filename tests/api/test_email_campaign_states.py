"""What may be done with an e-mail campaign in which state: changing, sending, cancelling and duplicating it."""

from __future__ import annotations

import pytest

from lootkeep.kernel.clock import DAY, SECOND, iso
from tests.api.campaigns import PATH, in_state, make, read, reader
from tests.builders import new_customer
from tests.world import World

STATES = ("draft", "scheduled", "sending", "sent", "cancelled", "failed")


async def test_a_campaign_is_changed_and_deleted_only_as_a_draft_or_scheduled(world: World) -> None:
    for state in STATES:
        campaign = await in_state(world, state)
        path = f"{PATH}/{campaign['id']}"
        may = state in ("draft", "scheduled")
        changed = await world.put(path, {"name": "Other"})
        deleted = await world.delete(path)
        assert (changed.status_code, deleted.status_code) == ((200, 200) if may else (409, 409))
        if may:
            assert deleted.json() == {"success": True, "message": "Campaign deleted successfully"}
            assert (await world.get(path)).status_code == 404
        else:
            assert deleted.json()["code"] == "campaign_not_editable"
            assert deleted.json()["message"] == f"A campaign that is {state} cannot be changed or deleted."


async def test_only_a_draft_or_what_failed_can_be_sent(world: World) -> None:
    await reader(world)
    for state in STATES:
        campaign = await in_state(world, state)
        answer = await world.post(f"{PATH}/{campaign['id']}/send", {})
        assert answer.status_code == (200 if state in ("draft", "failed") else 409)
        if answer.status_code == 409:
            assert answer.json()["message"] == f"A campaign that is {state} cannot be sent again."


async def test_only_a_scheduled_or_sending_campaign_can_be_cancelled(world: World) -> None:
    for state in STATES:
        campaign = await in_state(world, state)
        answer = await world.post(f"{PATH}/{campaign['id']}/cancel")
        assert answer.status_code == (200 if state in ("scheduled", "sending", "cancelled") else 409)
        expected = "cancelled" if answer.status_code == 200 else state
        assert (await read(world, campaign["id"]))["status"] == expected


async def test_every_campaign_can_be_duplicated_to_a_draft(world: World) -> None:
    for state in STATES:
        campaign = await in_state(world, state)
        answer = await world.post(f"{PATH}/{campaign['id']}/duplicate", {})
        assert answer.status_code == 201
        assert answer.json()["message"] == "Campaign duplicated successfully"
        copy = answer.json()["data"]
        expected = {"id": campaign["id"] + 1, "name": "Winter sale (copy)", "duplicated_from_id": campaign["id"]}
        assert copy == campaign | expected
        named = (await world.post(f"{PATH}/{campaign['id']}/duplicate", {"name": "Mine"})).json()["data"]
        assert named["name"] == "Mine"


async def test_the_longest_name_is_shortened_in_a_copy_and_a_copy_outlives_its_original(world: World) -> None:
    campaign = await make(world, name="x" * 255)
    copy = (await world.post(f"{PATH}/{campaign['id']}/duplicate", {})).json()["data"]
    assert copy["name"] == "x" * 248 + " (copy)"
    assert (await world.delete(f"{PATH}/{campaign['id']}")).status_code == 200
    assert (await read(world, copy["id"]))["duplicated_from_id"] == campaign["id"]


async def test_sending_now_stores_the_recipients_and_starts(world: World) -> None:
    for _ in range(3):
        await reader(world)
    await new_customer(world)
    campaign = await make(world)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {})
    assert answer.json()["message"] == "Campaign is being sent"
    data = answer.json()["data"]
    assert (data["status"], data["recipients_count"], data["started_at"]) == ("sending", 3, "2026-11-15T12:00:00Z")
    await reader(world)
    assert (await read(world, campaign["id"]))["recipients_count"] == 3
    assert (await world.post(f"{PATH}/{campaign['id']}/send", {})).status_code == 409


async def test_a_body_or_an_audience_that_is_missing_is_rejected(world: World) -> None:
    empty = await make(world, body_html=" ")
    answer = await world.post(f"{PATH}/{empty['id']}/send", {})
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["body_html"])
    campaign = await make(world)
    for body in ({}, {"scheduled_at": "2026-11-16T12:00:00Z"}):
        answer = await world.post(f"{PATH}/{campaign['id']}/send", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "empty_audience")
        assert answer.json()["error"] == "Unprocessable"
    assert (await read(world, campaign["id"]))["status"] == "draft"


@pytest.mark.parametrize(
    ("offset", "sentence"),
    [
        (0, "must be in the future"),
        (-DAY, "must be in the future"),
        (365 * DAY + SECOND, "must not be more than a year ahead"),
    ],
)
async def test_a_time_in_the_past_or_too_far_ahead_is_rejected(shared_world: World, offset: int, sentence: str) -> None:
    await reader(shared_world)
    campaign = await make(shared_world)
    time = iso(shared_world.clock.now() + offset)  # type: ignore[arg-type]
    answer = await shared_world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": time})
    assert answer.json()["errors"] == {"scheduled_at": [f"The scheduled at field {sentence}."]}


async def test_a_scheduled_campaign_shows_its_time_and_cannot_lose_its_body(world: World) -> None:
    await reader(world)
    campaign = await make(world)
    answer = await world.post(f"{PATH}/{campaign['id']}/send", {"scheduled_at": "2027-11-15T12:00:00Z"})
    assert answer.json()["message"] == "Campaign scheduled"
    data = answer.json()["data"]
    assert (data["status"], data["scheduled_at"]) == ("scheduled", "2027-11-15T12:00:00Z")
    assert data["recipients_count"] == 0
    emptied = await world.put(f"{PATH}/{campaign['id']}", {"body_html": None})
    assert (emptied.status_code, list(emptied.json()["errors"])) == (422, ["body_html"])
    assert (await read(world, campaign["id"]))["body_html"] == "<p>Hi</p>"
