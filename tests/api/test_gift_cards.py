"""Gift cards over the External API: checked, redeemed, revoked, sent and changed, in every state."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND
from lootkeep.storage.tables import gift_cards
from tests.builders import new_customer, new_gift_card, new_order, new_product
from tests.recount import rows
from tests.world import World

TOMORROW = "2026-11-16T12:00:00Z"
STATES = ("scheduled", "active", "redeemed", "expired", "revoked")


async def card_in(world: World, state: str, **fields: Any) -> dict[str, Any]:
    """A card of 25.00 in a state."""
    if state == "scheduled":
        fields["starts_at"] = TOMORROW
    if state == "expired":
        fields["expires_at"] = "2026-11-15T12:01:00Z"
    card = await new_gift_card(world, **fields)
    if state == "redeemed":
        await world.post(f"/gift-cards/{card['id']}/redeem", {"amount": "25.00"})
    if state == "revoked":
        await world.post(f"/gift-cards/{card['id']}/revoke")
    if state == "expired":
        world.clock.advance(MINUTE)
    return card


async def detail(world: World, card_id: int = 1) -> dict[str, Any]:
    data: dict[str, Any] = (await world.get(f"/gift-cards/{card_id}")).json()["data"]
    return data


async def redeem(world: World, amount: Any, card_id: int = 1, **fields: Any) -> httpx.Response:
    return await world.post(f"/gift-cards/{card_id}/redeem", {"amount": amount} | fields)


# --- reading


@pytest.mark.parametrize("state", STATES)
async def test_the_status_is_what_time_and_balance_make_it(world: World, state: str) -> None:
    card = await card_in(world, state)
    assert (await detail(world, card["id"]))["status"] == state


async def test_a_card_becomes_valid_and_expires_by_time_alone(world: World) -> None:
    await new_gift_card(world, starts_at=TOMORROW, expires_at="2026-11-17T12:00:00Z")
    seen = []
    for _ in range(5):
        seen.append((await detail(world))["status"])
        world.clock.advance(DAY - SECOND if len(seen) in (1, 3) else SECOND)
    assert seen == ["scheduled", "scheduled", "active", "active", "expired"]


async def test_a_card_that_is_used_up_stays_redeemed_when_its_time_is_over(world: World) -> None:
    card = await new_gift_card(world, expires_at=TOMORROW)
    await redeem(world, "25.00")
    world.clock.advance(2 * DAY)
    assert (await detail(world, card["id"]))["status"] == "redeemed"


async def test_the_transactions_of_a_card_add_up_to_its_balance(world: World) -> None:
    await new_gift_card(world)
    await redeem(world, "5.00", reference="till-1")
    await redeem(world, "0.01")
    await world.post("/gift-cards/1/revoke", {"reason": "lost"})
    found = (await detail(world))["transactions"]
    assert [(t["type"], t["amount"], t["balance_after"], t["reference"]) for t in found] == [
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
async def test_a_card_that_is_not_there_is_not_found(world: World, method: str, path: str) -> None:
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
async def test_a_call_needs_its_scope(world: World, method: str, path: str, scope: str) -> None:
    answer = await world.call(method, path, {}, token=await world.new_token(scope))
    assert answer.status_code == 403


# --- validating


async def validated(world: World, code: str, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/gift-cards/validate", {"code": code} | fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


@pytest.mark.parametrize(
    ("amount", "applicable"), [(None, "25.00"), ("5.00", "5.00"), ("25.00", "25.00"), ("99.00", "25.00")]
)
async def test_a_good_code_says_how_much_it_can_pay(world: World, amount: str | None, applicable: str) -> None:
    card = await new_gift_card(world)
    found = await validated(world, card["code"], **({} if amount is None else {"amount": amount}))
    assert (found["valid"], found["reason"], found["applicable_amount"]) == (True, None, applicable)
    assert found["gift_card"] == {name: card[name] for name in found["gift_card"]}
    assert "code" not in found["gift_card"]


@pytest.mark.parametrize("typed", ["{}", " {} ", "lower", "without hyphens"])
async def test_it_does_not_matter_how_a_code_is_typed(world: World, typed: str) -> None:
    code = (await new_gift_card(world))["code"]
    written = {"lower": code.lower(), "without hyphens": code.replace("-", "")}.get(typed, typed.format(code))
    assert (await validated(world, written))["valid"]


@pytest.mark.parametrize("state", [state for state in STATES if state != "active"])
async def test_a_card_that_cannot_be_used_says_why(world: World, state: str) -> None:
    card = await card_in(world, state)
    found = await validated(world, card["code"])
    assert (found["valid"], found["reason"], found["applicable_amount"]) == (False, state, "0.00")
    assert found["gift_card"]["status"] == state


async def test_an_unknown_code_is_no_error(world: World) -> None:
    assert await validated(world, "NOBO-DYHA-STHI-SONE") == {
        "valid": False,
        "reason": "not_found",
        "gift_card": None,
        "applicable_amount": "0.00",
    }


async def test_after_ten_unknown_codes_in_a_minute_a_token_has_to_wait(world: World) -> None:
    card = await new_gift_card(world)
    for number in range(9):
        await validated(world, f"GUESS-{number}")
        assert (await validated(world, card["code"]))["valid"]
        world.clock.advance(SECOND)
    await validated(world, "GUESS-9")
    refused = await world.post("/gift-cards/validate", {"code": card["code"]})
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["Retry-After"] == "51"
    other = await world.new_token("gift-cards:read")
    answer = await world.post("/gift-cards/validate", {"code": card["code"]}, token=other)
    assert answer.json()["data"]["valid"]
    world.clock.advance(51 * SECOND)
    assert (await validated(world, card["code"]))["valid"]


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({}, "code", "The code field is required."),
        ({"code": ""}, "code", "The code field must not be empty."),
        ({"code": 5}, "code", "The code field must be a string."),
        ({"code": "x" * 256}, "code", "The code field must not be greater than 255 characters."),
        ({"code": "x", "amount": 0}, "amount", "The amount field must be at least 0.01."),
    ],
)
async def test_what_is_no_code_is_refused(world: World, body: dict[str, Any], field: str, sentence: str) -> None:
    answer = await world.post("/gift-cards/validate", body)
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]})


# --- redeeming


async def test_an_amount_is_redeemed(world: World) -> None:
    card = await new_gift_card(world)
    customer = (await new_customer(world))["customer"]
    await new_product(world)
    order = await new_order(world, customer["id"], (1, 1))
    answer = await redeem(world, "5.00", order_id=order["id"], reference="till-7-0042")
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "success": True,
            "message": "Gift card redeemed successfully",
            "data": {
                "gift_card_id": 1,
                "masked_code": card["masked_code"],
                "amount": "5.00",
                "balance": "20.00",
                "currency": "USD",
                "transaction": {
                    "id": 2,
                    "type": "redeem",
                    "amount": "-5.00",
                    "balance_after": "20.00",
                    "order_id": order["id"],
                    "reference": "till-7-0042",
                    "created_at": "2026-11-15T12:00:00Z",
                },
            },
        },
    )
    after = await detail(world)
    assert (after["balance"], after["last_used_at"]) == ("20.00", "2026-11-15T12:00:00Z")


async def test_naming_an_order_does_not_pay_for_it(world: World) -> None:
    await new_gift_card(world)
    customer = (await new_customer(world))["customer"]
    await new_product(world)
    order = await new_order(world, customer["id"], (1, 1))
    await redeem(world, "5.00", order_id=order["id"])
    cancelled = await world.post(f"/api/store/v1/orders/{order['id']}/cancel")
    assert cancelled.json()["data"]["gift_card_total"] == "0.00"
    assert (await detail(world))["balance"] == "20.00"


async def test_the_same_reference_and_amount_give_the_same_answer_and_take_nothing(world: World) -> None:
    await new_gift_card(world)
    first = await redeem(world, "5.00", reference="till-1")
    await redeem(world, "7.00", reference="till-2")
    world.clock.advance(HOUR)
    again = await redeem(world, "5.00", reference="till-1")
    assert (again.status_code, again.json()) == (200, first.json())
    assert (await detail(world))["balance"] == "13.00"


@pytest.mark.parametrize("end", ["redeemed", "expired", "revoked"])
async def test_a_reference_is_answered_the_same_also_when_the_card_is_over(world: World, end: str) -> None:
    await new_gift_card(world, expires_at=TOMORROW)
    first = await redeem(world, "5.00", reference="till-1")
    if end == "redeemed":
        await redeem(world, "20.00")
    if end == "revoked":
        await world.post("/gift-cards/1/revoke")
    if end == "expired":
        world.clock.advance(DAY)
    assert (await redeem(world, "5.00", reference="till-1")).json() == first.json()


async def test_the_same_reference_with_another_amount_is_a_conflict(world: World) -> None:
    await new_gift_card(world)
    await redeem(world, "5.00", reference="till-1")
    answer = await redeem(world, "5.01", reference="till-1")
    assert (answer.status_code, answer.json()["code"]) == (409, "reference_reused")
    assert (await detail(world))["balance"] == "20.00"


async def test_a_reference_belongs_to_one_card(world: World) -> None:
    await new_gift_card(world)
    await new_gift_card(world)
    await redeem(world, "5.00", reference="till-1")
    answer = await redeem(world, "6.00", card_id=2, reference="till-1")
    assert answer.json()["data"]["balance"] == "19.00"


@pytest.mark.parametrize(("amount", "left"), [("25.01", "25.00"), (10000, "25.00")])
async def test_no_more_is_redeemed_than_there_is(world: World, amount: Any, left: str) -> None:
    await new_gift_card(world)
    answer = await redeem(world, amount)
    sentence = f"The amount field must not be greater than {left}, the card's balance."
    assert (answer.status_code, answer.json()["errors"]) == (422, {"amount": [sentence]})


async def test_a_card_that_is_used_up_has_nothing_to_redeem(world: World) -> None:
    await card_in(world, "redeemed")
    answer = await redeem(world, "0.01")
    sentence = "The amount field must not be greater than 0.00, the card's balance."
    assert (answer.status_code, answer.json()["errors"]) == (422, {"amount": [sentence]})


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("scheduled", "This gift card is not valid yet and cannot be redeemed."),
        ("expired", "This gift card has expired and cannot be redeemed."),
        ("revoked", "This gift card was revoked and cannot be redeemed."),
    ],
)
async def test_a_card_out_of_its_time_cannot_be_redeemed(world: World, state: str, message: str) -> None:
    await card_in(world, state)
    answer = await redeem(world, "1.00")
    assert (answer.status_code, answer.json()["code"], answer.json()["message"]) == (
        409,
        f"gift_card_{state}",
        message,
    )


@pytest.mark.parametrize(
    ("body", "field", "sentence"),
    [
        ({}, "amount", "The amount field is required."),
        ({"amount": 0}, "amount", "The amount field must be at least 0.01."),
        ({"amount": -5}, "amount", "The amount field must be at least 0.01."),
        ({"amount": 1, "order_id": 77}, "order_id", "The order id field is not an order of this store."),
        ({"amount": 1, "order_id": 0}, "order_id", "The order id field must be at least 1."),
        ({"amount": 1, "reference": ""}, "reference", "The reference field must not be empty."),
        (
            {"amount": 1, "reference": "x" * 101},
            "reference",
            "The reference field must not be greater than 100 characters.",
        ),
    ],
)
async def test_a_bad_redemption_is_refused_in_words(
    world: World, body: dict[str, Any], field: str, sentence: str
) -> None:
    await new_gift_card(world)
    answer = await world.post("/gift-cards/1/redeem", body)
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]})
    assert (await detail(world))["balance"] == "25.00"


# --- revoking


@pytest.mark.parametrize("state", [state for state in STATES if state != "revoked"])
async def test_a_card_is_revoked_in_any_state_and_loses_what_is_left(world: World, state: str) -> None:
    card = await card_in(world, state)
    answer = await world.post(f"/gift-cards/{card['id']}/revoke", {"reason": "lost"})
    found = answer.json()["data"]
    assert (answer.status_code, answer.json()["message"]) == (200, "Gift card revoked")
    assert (found["status"], found["balance"], found["revoke_reason"]) == ("revoked", "0.00", "lost")
    assert found["revoked_at"] is not None


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


async def test_a_later_end_makes_an_expired_card_valid_again(world: World) -> None:
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
    await world.put("/gift-cards/1", {"note": "x", "balance": "99.00", "status": "revoked", "code": "ANOTHER-CODE"})
    after = await detail(world)
    assert (after["balance"], after["status"]) == ("25.00", "active")


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({}, "Send at least one of recipient_email, recipient_name, message, expires_at and note."),
        ({"expires_at": "2026-11-15T12:00:00Z"}, {"expires_at": ["The expires at field must lie in the future."]}),
        (
            {"expires_at": "2026-11-16T12:00:00Z"},
            {"expires_at": ["The expires at field must lie after 2026-11-16T12:00:00Z, when the card becomes valid."]},
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
async def test_a_bad_change_is_refused_in_words(world: World, body: dict[str, Any], answer: Any) -> None:
    await new_gift_card(world, starts_at=TOMORROW)
    refused = await world.put("/gift-cards/1", body)
    assert refused.status_code == 422
    assert refused.json().get("errors", refused.json()["message"]) == answer


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


async def test_a_card_without_an_address_is_sent_nowhere(world: World) -> None:
    await new_gift_card(world)
    answer = await world.post("/gift-cards/1/resend-email")
    sentence = "The email field is required: the gift card has no recipient e-mail."
    assert (answer.status_code, answer.json()["errors"]) == (422, {"email": [sentence]})


@pytest.mark.parametrize("state", [state for state in STATES if state != "active"])
async def test_only_an_active_card_is_sent(world: World, state: str) -> None:
    card = await card_in(world, state, recipient_email="jun@example.com")
    answer = await world.post(f"/gift-cards/{card['id']}/resend-email")
    assert (answer.status_code, answer.json()["code"]) == (409, f"gift_card_{state}")


async def test_a_card_is_sent_five_times_an_hour_at_most(world: World) -> None:
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


# --- what is kept


async def test_what_is_stored_of_a_code_is_its_hash_its_seal_and_its_end(world: World) -> None:
    code = (await new_gift_card(world))["code"]
    (stored,) = await rows(world.db, gift_cards)
    values = [str(value) for value in stored.values()]
    assert not [value for value in values if code in value or code.replace("-", "") in value]
    assert stored["last_four"] == code[-4:]
