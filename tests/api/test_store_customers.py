"""Signing up over the Store API: every field, who may do it, and when it was."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.api.sign_ups import CUSTOMERS, JUN, anna, sign_up
from tests.builders import new_customer
from tests.recount import maintained, recounted, sent
from tests.world import World

NOT_A_TIME = "The created at field must be a time like 2026-11-15T10:30:00Z."


async def test_a_new_customer_is_returned_with_every_field(world: World) -> None:
    answer = await sign_up(world)
    assert answer.status_code == 201
    code = answer.json()["data"]["customer"]["referral_code"]
    assert answer.json() == {
        "success": True,
        "message": "Customer created successfully",
        "data": {
            "customer": {
                "id": 1,
                "email": "jun@j.example",
                "name": "Jun Park",
                "username": None,
                "external_id": None,
                "country": None,
                "status": "active",
                "status_reason": None,
                "accepts_marketing": False,
                "consent_given_at": None,
                "consent_withdrawn_at": None,
                "email_status": "ok",
                "referral_code": code,
                "referred_by": None,
                "orders_count": 0,
                "total_spent": "0.00",
                "average_order_value": "0.00",
                "first_order_at": None,
                "last_order_at": None,
                "tags": [],
                "identities": [],
                "note": None,
                "created_at": "2026-11-15T12:00:00Z",
                "updated_at": "2026-11-15T12:00:00Z",
                "erased_at": None,
            },
            "referral": None,
            "welcome_coupon": None,
        },
    }


async def test_every_field_that_is_sent_is_stored(world: World) -> None:
    sent = {
        "username": "junp",
        "external_id": "shop-31",
        "country": "kr",
        "ip_address": "2001:DB8::1",
        "device_id": "phone-1",
        "accepts_marketing": True,
        "referral_code": None,
    }
    customer = (await sign_up(world, **sent)).json()["data"]["customer"]
    assert (customer["username"], customer["external_id"]) == ("junp", "shop-31")
    assert (customer["country"], customer["accepts_marketing"]) == ("KR", True)


async def test_the_longest_values_are_accepted(world: World) -> None:
    longest = {"name": "ü" * 255, "username": "u" * 255, "external_id": "e" * 255, "device_id": "d" * 255}
    answer = await sign_up(world, **longest, referral_code="c" * 255)
    assert answer.status_code == 201
    assert answer.json()["data"]["customer"]["name"] == "ü" * 255


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("email", None, "The email field must be a string."),
        ("email", "jun", "The email field must be a valid e-mail address."),
        ("email", "jun@", "The email field must be a valid e-mail address."),
        ("email", "jun@j.example, x@j.example", "The email field must be a valid e-mail address."),
        ("email", f"{'j' * 250}@j.example", "The email field must not be greater than 255 characters."),
        ("name", "", "The name field must not be empty."),
        ("name", " \t", "The name field must not be blank."),
        ("name", "x" * 256, "The name field must not be greater than 255 characters."),
        ("username", "", "The username field must not be empty."),
        ("username", "x" * 256, "The username field must not be greater than 255 characters."),
        ("external_id", "", "The external id field must not be empty."),
        ("external_id", "x" * 256, "The external id field must not be greater than 255 characters."),
        ("referral_code", 5, "The referral code field must be a string."),
        ("referral_code", "x" * 256, "The referral code field must not be greater than 255 characters."),
        ("country", "XX", "The country field must be an ISO 3166-1 alpha-2 country code."),
        ("country", "KOR", "The country field must be an ISO 3166-1 alpha-2 country code."),
        ("ip_address", "localhost", "The ip address field must be a valid IP address."),
        ("ip_address", "203.0.113.256", "The ip address field must be a valid IP address."),
        ("device_id", "", "The device id field must not be empty."),
        ("device_id", "x" * 256, "The device id field must not be greater than 255 characters."),
        ("accepts_marketing", 1, "The accepts marketing field must be true or false."),
        ("accepts_marketing", None, "The accepts marketing field must be true or false."),
        ("created_at", "2026-11-15", NOT_A_TIME),
        ("created_at", "2026-11-15T10:30:00", NOT_A_TIME),
        ("created_at", "2026-02-30T10:30:00Z", NOT_A_TIME),
        ("created_at", 1_700_000_000, NOT_A_TIME),
    ],
)
async def test_a_bad_field_is_rejected_with_a_message(
    shared_world: World, field: str, value: Any, sentence: str
) -> None:
    answer = await sign_up(shared_world, **{field: value})
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {field: [sentence]},
    }


async def test_every_missing_field_is_named_at_once(world: World) -> None:
    answer = await world.post(CUSTOMERS, {"country": "??"})
    assert sorted(answer.json()["errors"]) == ["country", "email", "name"]


@pytest.mark.parametrize("again", ["jun@j.example", "JUN@J.Example"])
async def test_an_e_mail_is_unique_whatever_its_case(world: World, again: str) -> None:
    await sign_up(world, email="Jun@j.example")
    answer = await sign_up(world, email=again, name="Someone else")
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"email": ["The email field has already been taken by customer 1."]}
    assert (await maintained(world.db))["counters"]["customers.all"] == 1


async def test_a_different_tag_is_a_different_e_mail(world: World) -> None:
    await sign_up(world)
    assert (await sign_up(world, email="jun+2@j.example")).status_code == 201


async def test_an_external_id_is_unique(world: World) -> None:
    await sign_up(world, external_id="31")
    answer = await sign_up(world, email="other@j.example", external_id="31")
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"external_id": ["The external id field has already been taken by customer 1."]}


async def test_an_existing_external_id_with_the_same_e_mail_returns_that_customer(world: World) -> None:
    referrer = await anna(world)
    first = await sign_up(world, external_id="31", referral_code=referrer["referral_code"], accepts_marketing=True)
    again = await sign_up(world, external_id="31", email="JUN@j.example", name="Another name")
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == {
        "success": True,
        "message": "The customer had been created before",
        "data": {"customer": first.json()["data"]["customer"], "referral": None, "welcome_coupon": None},
    }
    assert await maintained(world.db) == await recounted(world.db)


async def test_concurrent_creations_with_one_external_id_create_one_customer(world: World) -> None:
    answers = await asyncio.gather(*(sign_up(world, external_id="31") for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert {answer.json()["data"]["customer"]["id"] for answer in answers} == {1}
    assert (await maintained(world.db))["counters"]["customers.all"] == 1


async def test_a_referral_code_has_eight_characters_that_cannot_be_misread(world: World) -> None:
    codes = [(await new_customer(world))["customer"]["referral_code"] for _ in range(20)]
    assert len(set(codes)) == 20
    assert all(len(code) == 8 for code in codes)
    assert set("".join(codes)) <= set("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")


async def test_signing_up_sends_one_event(world: World) -> None:
    await sign_up(world)
    assert await sent(world.db, "") == ["customer.created"]


async def test_a_token_without_the_scope_cannot_create_a_customer(shared_world: World) -> None:
    answer = await shared_world.post(
        CUSTOMERS, JUN, token=await shared_world.new_token("store:read", "customers:write")
    )
    assert answer.status_code == 403
    assert answer.json()["message"] == "The token lacks the required scope store:write."


async def test_an_imported_customer_keeps_the_day_of_their_sign_up(world: World) -> None:
    referrer = await anna(world, created_at="2024-02-29T23:59:59Z")
    data = (
        await sign_up(world, created_at="2024-03-01T01:30:00.5+02:00", referral_code=referrer["referral_code"])
    ).json()["data"]
    assert data["customer"]["created_at"] == "2024-02-29T23:30:00Z"
    (entry,) = (await world.get("/referrals")).json()["data"]
    assert entry["referred_at"] == "2024-02-29T23:30:00Z"
    assert await maintained(world.db) == await recounted(world.db)


async def test_only_an_import_token_may_set_the_time(world: World) -> None:
    token = await world.new_token("store:write")
    answer = await world.post(CUSTOMERS, JUN | {"created_at": "2024-02-29T12:00:00Z"}, token=token)
    without = await world.post(CUSTOMERS, JUN | {"created_at": None}, token=token)
    assert answer.status_code == 403
    assert answer.json()["message"] == "The token lacks the required scope store:import."
    assert without.status_code == 201


@pytest.mark.parametrize(("time", "status"), [("2026-11-15T12:00:00Z", 201), ("2026-11-15T12:00:00.000001Z", 422)])
async def test_a_sign_up_cannot_be_in_the_future(world: World, time: str, status: int) -> None:
    answer = await sign_up(world, created_at=time)
    assert answer.status_code == status
    if status == 422:
        assert answer.json()["errors"] == {"created_at": ["The created at field must not be in the future."]}


async def test_the_same_request_with_an_idempotency_key_signs_up_once(world: World) -> None:
    headers = {"Idempotency-Key": "sign-up-1"}
    first = await world.post(CUSTOMERS, JUN, headers=headers)
    again = await world.post(CUSTOMERS, JUN, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
