"""Creating gift cards over the Store API: a code that is shown once, and consistent terms."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.builders import STORE, new_customer, new_gift_card
from tests.world import World

CARDS = f"{STORE}/gift-cards"
# Every text that a careless layer would change, cut or trip over.
HOSTILE = (
    "O'Brien \"; DROP TABLE gift_cards; -- <b>{{7*7}}</b> %s \\ \u202e\U0001f3f4\u200d\u2620\ufe0f \u0130i\u0307 %_*"
)


async def test_a_card_is_created_and_returned_with_its_whole_code(world: World) -> None:
    customer = (await new_customer(world))["customer"]
    answer = await world.post(
        CARDS,
        {
            "initial_balance": "25.00",
            "recipient_email": "Jun@Example.com",
            "recipient_name": "Jun Park",
            "sender_name": "Mina",
            "message": "Happy birthday!",
            "customer_id": customer["id"],
            "starts_at": "2026-12-01T00:00:00Z",
            "expires_at": "2027-12-01T00:00:00Z",
            "note": "from the autumn fair",
        },
    )
    assert (answer.status_code, answer.json()["message"]) == (201, "Gift card created successfully")
    card = answer.json()["data"]
    code = card.pop("code")
    assert re.fullmatch(r"([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}", code)
    sent = {name: card.pop(name) for name in ("sent_at", "send_count")}
    assert sent == {"sent_at": None, "send_count": 0}
    assert card == {
        "id": 1,
        "masked_code": f"****-****-****-{code[-4:]}",
        "initial_balance": "25.00",
        "balance": "25.00",
        "currency": "USD",
        "status": "scheduled",
        "recipient_email": "jun@example.com",
        "recipient_name": "Jun Park",
        "sender_name": "Mina",
        "message": "Happy birthday!",
        "customer_id": customer["id"],
        "order_id": None,
        "starts_at": "2026-12-01T00:00:00Z",
        "expires_at": "2027-12-01T00:00:00Z",
        "note": "from the autumn fair",
        "last_used_at": None,
        "revoked_at": None,
        "revoke_reason": None,
        "created_at": "2026-11-15T12:00:00Z",
        "updated_at": "2026-11-15T12:00:00Z",
    }


async def test_the_code_is_never_shown_again(world: World) -> None:
    code = (await new_gift_card(world))["code"]
    for path in ("/gift-cards", "/gift-cards/1", "/gift-cards/statistics"):
        text = (await world.get(path)).text
        assert code not in text
        assert code.replace("-", "") not in text


async def test_the_store_can_choose_the_code_itself(world: World) -> None:
    card = await new_gift_card(world, code="Summer-2026-a7", currency="eur")
    assert (card["code"], card["masked_code"], card["currency"]) == ("Summer-2026-a7", "****-****-****-26A7", "EUR")


@pytest.mark.parametrize("again", ["SUMMER2026", "summer-2026", "Sum-mer-2026"])
async def test_a_code_is_unique_in_any_notation(world: World, again: str) -> None:
    await new_gift_card(world, code="SUMMER-2026")
    answer = await world.post(CARDS, {"initial_balance": 1, "code": again})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"code": ["The code field has already been taken."]}


CODE = "The code field must have 8 to 64 letters and digits, with single hyphens between them at most."


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("initial_balance", 0, "The initial balance field must be at least 0.01."),
        ("initial_balance", "0.001", "The initial balance field must be a number with at most two decimals."),
        ("initial_balance", "10000.01", "The initial balance field must not be greater than 10000.00."),
        ("initial_balance", None, "The initial balance field must be a number with at most two decimals."),
        ("currency", "XXL", "The currency field must be an ISO 4217 currency code."),
        ("recipient_email", "nobody", "The recipient email field must be a valid e-mail address."),
        ("recipient_name", " ", "The recipient name field must not be blank."),
        ("sender_name", "x" * 256, "The sender name field must not be greater than 255 characters."),
        ("message", "x" * 1001, "The message field must not be greater than 1000 characters."),
        ("note", "x" * 2001, "The note field must not be greater than 2000 characters."),
        ("customer_id", 77, "The customer id field is not a customer of this store."),
        ("expires_at", "2026-11-15T12:00:00Z", "The expires at field must be in the future."),
        ("expires_at", "tomorrow", "The expires at field must be a time like 2026-11-15T10:30:00Z."),
        ("code", "SHORT-1", CODE),
        ("code", "x" * 65, CODE),
        ("code", "", CODE),
        ("code", "DOUBLE--HYPHEN", CODE),
        ("code", "-LEADING-ONE", CODE),
        ("code", "ÄÖÜ-ÄÖÜ-ÄÖÜ-1", CODE),
        ("code", HOSTILE, CODE),
    ],
)
async def test_a_bad_field_is_rejected_with_a_message(
    shared_world: World, field: str, value: Any, sentence: str
) -> None:
    answer = await shared_world.post(CARDS, {"initial_balance": "25.00"} | {field: value})
    assert (answer.status_code, answer.json()["errors"]) == (422, {field: [sentence]})
    assert (await shared_world.get("/gift-cards")).json()["meta"]["total"] == 0


async def test_a_card_expires_after_it_starts(world: World) -> None:
    times = {"starts_at": "2026-12-02T00:00:00Z", "expires_at": "2026-12-01T00:00:00Z"}
    answer = await world.post(CARDS, {"initial_balance": "10000.01"} | times)
    assert answer.json()["errors"] == {
        "initial_balance": ["The initial balance field must not be greater than 10000.00."],
        "expires_at": ["The expires at field must be after 2026-12-02T00:00:00Z, when the card becomes valid."],
    }


async def test_hostile_text_in_every_field_comes_back_unchanged(world: World) -> None:
    words = dict.fromkeys(("recipient_name", "sender_name", "message", "note"), HOSTILE)
    card = await new_gift_card(world, **words)
    assert {name: card[name] for name in words} == words
    changed = await world.put("/gift-cards/1", {"recipient_name": HOSTILE * 2, "message": HOSTILE, "note": HOSTILE})
    assert changed.json()["data"]["recipient_name"] == HOSTILE * 2
    redeemed = await world.post("/gift-cards/1/redeem", {"amount": 1, "reference": HOSTILE})
    assert redeemed.json()["data"]["transaction"]["reference"] == HOSTILE
    revoked = await world.post("/gift-cards/1/revoke", {"reason": HOSTILE})
    assert revoked.json()["data"]["revoke_reason"] == HOSTILE
    response = await world.get("/gift-cards", params={"search": HOSTILE})
    assert [card["id"] for card in response.json()["data"]] == [1]
    detail = (await world.get("/gift-cards/1")).json()["data"]
    assert (detail["note"], detail["transactions"][1]["reference"]) == (HOSTILE, HOSTILE)


async def test_repeating_a_request_with_its_key_creates_one_card_and_returns_the_same_code(world: World) -> None:
    headers = {"Idempotency-Key": "card-1"}
    first = await world.post(CARDS, {"initial_balance": 5}, headers=headers)
    again = await world.post(CARDS, {"initial_balance": 5}, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (await world.get("/gift-cards")).json()["meta"]["total"] == 1


async def test_creating_a_card_needs_the_store_scope(shared_world: World) -> None:
    token = await shared_world.new_token("gift-cards:write", "gift-cards:read")
    answer = await shared_world.post(CARDS, {"initial_balance": 5}, token=token)
    assert answer.status_code == 403
