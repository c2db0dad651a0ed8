"""Gift cards over the External API: read, revoked, changed and sent, in every state."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND
from lootkeep.storage.schema import gift_cards
from tests.api.gift_card_states import STATES, TOMORROW, card_in, detail, redeem
from tests.builders import new_gift_card
from tests.recount import rows
from tests.world import World

# --- reading


@pytest.mark.parametrize("state", STATES)
async def test_the_status_follows_from_time_and_balance(world: World, state: str) -> None:
    card = await card_in(world, state)
    assert (await detail(world, card["id"]))["status"] == state


async def test_a_card_becomes_valid_and_expires_by_time_alone(world: World) -> None:
    await new_gift_card(world, starts_at=TOMORROW, expires_at="2026-11-17T12:00:00Z")
    statuses = []
    for _ in range(5):
        statuses.append((await detail(world))["status"])
        world.clock.advance(DAY - SECOND if len(statuses) in (1, 3) else SECOND)
    assert statuses == ["scheduled", "scheduled", "active", "active", "expired"]


async def test_a_used_up_card_stays_redeemed_after_its_expiry(world: World) -> None:
    card = await new_gift_card(world, expires_at=TOMORROW)
    await redeem(world, "25.00")
    world.clock.advance(2 * DAY)
    assert (await detail(world, card["id"]))["status"] == "redeemed"


async def test_the_transactions_of_a_card_add_up_to_its_balance(world: World) -> None:
    await new_gift_card(world)
    await redeem(world, "5.00", reference="till-1")
    await redeem(world, "0.01")
    await world.post("/gift-cards/1/revoke", {"reason": "lost"})
    transactions = (await detail(world))["transactions"]
    assert [(t["type"], t["amount"], t["balance_after"], t["reference"]) for t in transactions] == [
        ("issue", "25.00", "25.00", None),
        ("redeem", "-5.00", "20.00", "till-1"),
        ("redeem", "-0.01", "19.99", None),
        ("revoke", "-19.99", "0.00", None),
    ]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/gift-cards/7"),
        ("PUT", "/gift-cards/7"),
        ("POST", "/gift-cards/7/redeem"),
        ("POST", "/gift-cards/7/revoke"),
        ("POST", "/gift-cards/7/resend-email"),
    ],
)
async def test_a_missing_card_is_not_found(world: World, method: str, path: str) -> None:
    body = None if method == "GET" else {"amount": 1, "note": "x", "email": "a@b.example"}
    answer = await world.call(method, path, body)
    assert (answer.status_code, answer.json()["message"]) == (404, "Gift card not found.")


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/gift-cards", "gift-cards:write"),
        ("GET", "/gift-cards/statistics", "gift-cards:write"),
        ("POST", "/gift-cards/validate", "gift-cards:write"),
        ("POST", "/gift-cards/1/redeem", "gift-cards:read"),
        ("POST", "/gift-cards/1/revoke", "gift-cards:read"),
        ("POST", "/gift-cards/1/resend-email", "gift-cards:read"),
        ("PUT", "/gift-cards/1", "gift-cards:read"),
    ],
)
async def test_a_call_needs_its_scope(shared_world: World, method: str, path: str, scope: str) -> None:
    answer = await shared_world.call(method, path, {}, token=await shared_world.new_token(scope))
    assert answer.status_code == 403


# --- revoking


@pytest.mark.parametrize("state", [state for state in STATES if state != "revoked"])
async def test_a_card_is_revoked_in_any_state_and_loses_its_balance(world: World, state: str) -> None:
    card = await card_in(world, state)
    answer = await world.post(f"/gift-cards/{card['id']}/revoke", {"reason": "lost"})
    check = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Gift card revoked")
    assert (check["status"], check["balance"], check["revoke_reason"]) == ("revoked", "0.00", "lost")
    assert check["revoked_at"] is not None


async def test_revoking_again_changes_nothing(world: World) -> None:
    await new_gift_card(world)
    first = await world.post("/gift-cards/1/revoke", {"reason": "lost"})
    world.clock.advance(HOUR)
    again = await world.post("/gift-cards/1/revoke", {"reason": "found"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert len((await detail(world))["transactions"]) == 2


# --- changing


async def test_the_fields_that_are_sent_are_changed(world: World) -> None:
    before = await new_gift_card(world, recipient_name="Jun", message="Hi", note="a")
    world.clock.advance(HOUR)
    changes = {"recipient_email": "Mina@Example.com", "message": None, "expires_at": "2027-01-01T00:00:00Z"}
    answer = await world.put("/gift-cards/1", changes)
    assert (answer.status_code, answer.json()["message"]) == (200, "Gift card updated successfully")
    after = answer.json()["data"]
    expected = before | changes | {"recipient_email": "mina@example.com", "updated_at": "2026-11-15T13:00:00Z"}
    del expected["code"]
    assert after == expected


async def test_a_later_expiry_makes_an_expired_card_valid_again(world: World) -> None:
    await card_in(world, "expired")
    answer = await world.put("/gift-cards/1", {"expires_at": None})
    assert (answer.json()["data"]["status"], answer.json()["data"]["expires_at"]) == ("active", None)
    assert (await redeem(world, 1)).status_code == 200


async def test_revoking_is_final_and_only_the_note_can_be_changed_then(world: World) -> None:
    await card_in(world, "revoked")
    refused = await world.put("/gift-cards/1", {"expires_at": "2027-01-01T00:00:00Z", "note": "x"})
    assert (refused.status_code, refused.json()["code"]) == (409, "gift_card_revoked")
    assert (await world.put("/gift-cards/1", {"note": "returned"})).json()["data"]["note"] == "returned"


async def test_balance_code_and_status_cannot_be_changed(world: World) -> None:
    await new_gift_card(world)
    before = await detail(world)
    world.clock.advance(HOUR)
    answer = await world.put("/gift-cards/1", {"balance": "99.00", "status": "revoked", "code": "ANOTHER-CODE"})
    assert (answer.status_code, answer.headers["x-ignored-fields"]) == (200, "balance, status, code")
    assert await detail(world) == before


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"expires_at": "2026-11-15T12:00:00Z"}, {"expires_at": ["The expires at field must be in the future."]}),
        (
            {"expires_at": "2026-11-16T12:00:00Z"},
            {"expires_at": ["The expires at field must be after 2026-11-16T12:00:00Z, when the card becomes valid."]},
        ),
        (
            {"recipient_email": "x", "message": "x" * 1001},
            {
                "recipient_email": ["The recipient email field must be a valid e-mail address."],
                "message": ["The message field must not be greater than 1000 characters."],
            },
        ),
    ],
)
async def test_a_bad_change_is_rejected_with_a_message(world: World, body: dict[str, Any], answer: Any) -> None:
    await new_gift_card(world, starts_at=TOMORROW)
    refused = await world.put("/gift-cards/1", body)
    assert (refused.status_code, refused.json()["errors"]) == (422, answer)


# --- sending


async def test_a_card_is_sent_to_its_recipient_or_elsewhere(world: World) -> None:
    await new_gift_card(world, recipient_email="jun@example.com")
    counted = (await detail(world))["send_count"]
    world.clock.advance(HOUR)
    first = await world.post("/gift-cards/1/resend-email")
    assert (first.status_code, first.json()["data"]) == (
        200,
        {"sent_to": "jun@example.com", "sent_at": "2026-11-15T13:00:00Z", "send_count": counted + 1},
    )
    elsewhere = await world.post("/gift-cards/1/resend-email", {"email": "Mina@Example.com"})
    assert elsewhere.json()["data"]["sent_to"] == "mina@example.com"
    after = await detail(world)
    assert (after["recipient_email"], after["send_count"]) == ("jun@example.com", counted + 2)


async def test_a_card_without_a_recipient_email_cannot_be_sent(world: World) -> None:
    await new_gift_card(world)
    answer = await world.post("/gift-cards/1/resend-email")
    sentence = "The email field is required: the gift card has no recipient e-mail."
    assert (answer.status_code, answer.json()["errors"]) == (422, {"email": [sentence]})


@pytest.mark.parametrize("state", [state for state in STATES if state != "active"])
async def test_only_an_active_card_is_sent(world: World, state: str) -> None:
    card = await card_in(world, state, recipient_email="jun@example.com")
    answer = await world.post(f"/gift-cards/{card['id']}/resend-email")
    assert (answer.status_code, answer.json()["code"]) == (409, f"gift_card_{state}")


async def test_a_card_is_sent_at_most_five_times_an_hour(world: World) -> None:
    await new_gift_card(world)
    body = {"email": "jun@example.com"}
    for _ in range(5):
        assert (await world.post("/gift-cards/1/resend-email", body)).status_code == 200
        world.clock.advance(MINUTE)
    refused = await world.post("/gift-cards/1/resend-email", body)
    assert (refused.status_code, refused.json()["code"]) == (429, "gift_card_sent_too_often")
    assert refused.headers["Retry-After"] == str(55 * 60)
    assert (await detail(world))["send_count"] == 5
    world.clock.advance(55 * MINUTE)
    assert (await world.post("/gift-cards/1/resend-email", body)).json()["data"]["send_count"] == 6


# --- what is stored


async def test_only_the_hash_the_seal_and_the_last_characters_of_a_code_are_stored(world: World) -> None:
    code = (await new_gift_card(world))["code"]
    (stored,) = await rows(world.db, gift_cards)
    values = [str(value) for value in stored.values()]
    assert not [value for value in values if code in value or code.replace("-", "") in value]
    assert stored["last_four"] == code[-4:]
