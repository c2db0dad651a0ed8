"""Signing up over the Store API: every field, and what becomes of the referral code that was sent."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from lootkeep.kernel.clock import DAY
from tests.builders import STORE, new_customer, new_order, new_product, referred
from tests.recount import TOTAL, kept, outbox, recounted
from tests.world import World

CUSTOMERS = f"{STORE}/customers"
JUN = {"email": "jun@j.example", "name": "Jun Park"}
NOT_A_TIME = "The created at field must be a time like 2026-11-15T10:30:00Z."
NOT_ATTRIBUTED: dict[str, Any] = {"attributed": False, "referrer": None, "marks": []}


async def sign_up(world: World, **fields: Any) -> httpx.Response:
    return await world.post(CUSTOMERS, JUN | fields)


async def anna(world: World, **fields: Any) -> dict[str, Any]:
    """The customer whose code the others use."""
    body = {"email": "anna@a.example", "name": "Anna"} | fields
    customer: dict[str, Any] = (await new_customer(world, **body))["customer"]
    return customer


async def change_program(world: World, **settings: Any) -> None:
    assert (await world.put("/referrals/settings", settings)).status_code == 200


async def refused(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await world.get("/referrals/refused")).json()["data"]
    return found


async def total_referrals(world: World) -> int:
    return int((await world.get("/referrals")).json()["meta"]["total"])


async def test_a_new_customer_is_answered_with_every_field(world: World) -> None:
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
                "accepts_marketing": False,
                "email_status": "ok",
                "referral_code": code,
                "referred_by": None,
                "orders_count": 0,
                "total_spent": "0.00",
                "average_order_value": "0.00",
                "first_order_at": None,
                "last_order_at": None,
                "tags": [],
                "note": None,
                "created_at": "2026-11-15T12:00:00Z",
                "updated_at": "2026-11-15T12:00:00Z",
            },
            "referral": None,
            "welcome_coupon": None,
        },
    }


async def test_every_field_that_is_sent_is_kept(world: World) -> None:
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


async def test_the_longest_values_are_taken(world: World) -> None:
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
async def test_a_bad_field_is_refused_in_words(world: World, field: str, value: Any, sentence: str) -> None:
    answer = await sign_up(world, **{field: value})
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
    assert answer.json()["errors"] == {"email": ["The email field has already been taken."]}
    assert (await kept(world.db))["counters"]["customers.all", TOTAL] == 1


async def test_another_tag_is_another_e_mail(world: World) -> None:
    await sign_up(world)
    assert (await sign_up(world, email="jun+2@j.example")).status_code == 201


async def test_an_external_id_is_unique(world: World) -> None:
    await sign_up(world, external_id="31")
    answer = await sign_up(world, email="other@j.example", external_id="31")
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"external_id": ["The external id field has already been taken."]}


async def test_the_own_code_has_eight_characters_that_cannot_be_misread(world: World) -> None:
    codes = [(await new_customer(world))["customer"]["referral_code"] for _ in range(20)]
    assert len(set(codes)) == 20
    assert all(len(code) == 8 for code in codes)
    assert set("".join(codes)) <= set("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")


async def test_signing_up_sends_no_event(world: World) -> None:
    await sign_up(world)
    assert await outbox(world.db, "") == []


async def test_a_token_without_the_scope_cannot_sign_anyone_up(world: World) -> None:
    answer = await world.post(CUSTOMERS, JUN, token=await world.new_token("store:read", "customers:write"))
    assert answer.status_code == 403
    assert answer.json()["message"] == "The token lacks the required scope store:write."


async def test_a_referral_is_attributed_and_told(world: World) -> None:
    referrer = await anna(world)
    typed = f" {referrer['referral_code'][:3].lower()} {referrer['referral_code'][3:].lower()}"
    data = (await sign_up(world, referral_code=typed)).json()["data"]
    owner = {"id": referrer["id"], "name": "Anna"}
    assert data["customer"]["referred_by"] == owner
    assert data["referral"] == {
        "attributed": True,
        "reason": None,
        "explanation": None,
        "referrer": owner,
        "marks": [],
    }
    assert data["welcome_coupon"] is None


@pytest.mark.parametrize("code", ["NOPENOPE", "%", "'; --", "\u200b", "x" * 255])
async def test_an_unknown_code_does_not_stop_the_sign_up(world: World, code: str) -> None:
    answer = await sign_up(world, referral_code=code)
    assert answer.status_code == 201
    assert answer.json()["data"]["referral"] == NOT_ATTRIBUTED | {
        "reason": "unknown_code",
        "explanation": "There is no such referral code.",
    }
    assert answer.json()["data"]["customer"]["referred_by"] is None
    assert await refused(world) == []


@pytest.mark.parametrize("code", ["", "   "])
async def test_a_blank_code_is_no_code(world: World, code: str) -> None:
    assert (await sign_up(world, referral_code=code)).json()["data"]["referral"] is None


async def test_a_program_that_is_switched_off_attributes_nothing(world: World) -> None:
    referrer = await anna(world)
    await referred(world, referrer["referral_code"])
    await change_program(world, referral_enabled=False, referral_welcome_discount_enabled=True)
    data = (await sign_up(world, referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"] == NOT_ATTRIBUTED | {
        "reason": "program_disabled",
        "explanation": "The referral program is switched off.",
    }
    assert data["welcome_coupon"] is None
    assert await total_referrals(world) == 1
    assert await refused(world) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("anna@a.example", "anna+2@a.example"),
        ("anna+1@a.example", "anna+2@a.example"),
        ("an.na@gmail.com", "a.nna@gmail.com"),
        ("anna@googlemail.com", "Anna+new@gmail.com"),
    ],
)
async def test_a_second_mailbox_that_is_the_same_refers_nobody(world: World, first: str, second: str) -> None:
    referrer = await anna(world, email=first)
    data = (await sign_up(world, email=second, referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"] == {
        "attributed": False,
        "reason": "self_referral",
        "explanation": "The customer and the referrer share a mailbox.",
        "referrer": {"id": referrer["id"], "name": "Anna"},
        "marks": [],
    }
    assert data["customer"]["referred_by"] is None
    assert await total_referrals(world) == 0


async def test_dots_mean_something_where_the_provider_minds_them(world: World) -> None:
    referrer = await anna(world, email="an.na@a.example")
    data = (await sign_up(world, email="anna@a.example", referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["attributed"] is True


async def test_the_same_device_refers_nobody(world: World) -> None:
    referrer = await anna(world, device_id="phone-1")
    data = (await sign_up(world, device_id="phone-1", referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["attributed"] is False
    assert data["referral"]["reason"] == "same_device"


async def test_a_device_is_known_from_an_order_too(world: World) -> None:
    referrer = await anna(world)
    product = await new_product(world)
    await new_order(world, referrer["id"], (product["id"], 1), device_id="phone-1")
    data = (await sign_up(world, device_id="phone-1", referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["reason"] == "same_device"


@pytest.mark.parametrize("shared", [{"device_id": "phone-1"}, {"email": "anna+again@a.example"}])
@pytest.mark.parametrize("steps", [2, 3])
async def test_a_circle_is_refused_however_long(world: World, steps: int, shared: dict[str, str]) -> None:
    code = (await anna(world, device_id="phone-1"))["referral_code"]
    for _ in range(steps - 1):
        code = (await referred(world, code))["referral_code"]
    data = (await sign_up(world, **shared, referral_code=code)).json()["data"]
    assert data["referral"]["attributed"] is False
    assert data["referral"]["reason"] == "circular_referral"
    assert await total_referrals(world) == steps - 1


async def test_a_household_down_the_line_is_no_circle(world: World) -> None:
    referrer = await anna(world)
    await referred(world, referrer["referral_code"], device_id="tablet")
    data = (await sign_up(world, device_id="tablet", referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["attributed"] is True


@pytest.mark.parametrize("seen_from", ["203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107"])
async def test_the_same_address_is_attributed_and_marked(world: World, seen_from: str) -> None:
    referrer = await anna(world, ip_address="203.0.113.7")
    data = (await sign_up(world, ip_address=seen_from, referral_code=referrer["referral_code"])).json()["data"]
    assert (data["referral"]["attributed"], data["referral"]["marks"]) == (True, ["same_address"])


async def test_the_same_e_mail_domain_is_attributed_and_marked(world: World) -> None:
    referrer = await anna(world, ip_address="203.0.113.7")
    fields = {"email": "jun@A.example", "ip_address": "203.0.113.7", "referral_code": referrer["referral_code"]}
    data = (await sign_up(world, **fields)).json()["data"]
    assert data["referral"]["attributed"] is True
    assert data["referral"]["marks"] == ["same_address", "same_email_domain"]
    assert await total_referrals(world) == 1


async def test_refused_referrals_are_listed_for_staff_newest_first(world: World) -> None:
    referrer = await anna(world, device_id="phone-1")
    code = referrer["referral_code"]
    await sign_up(world, device_id="phone-1", referral_code=code)
    world.clock.advance(60_000_000)
    await sign_up(world, email="anna+2@a.example", referral_code=code)
    answer = (await world.get("/referrals/refused")).json()
    newest, oldest = answer["data"]
    assert answer["meta"] == {"current_page": 1, "last_page": 1, "per_page": 15, "total": 2}
    assert newest == {
        "id": 2,
        "customer": {"id": 3, "name": "Jun Park", "email": "anna+2@a.example"},
        "referrer": {"id": 1, "name": "Anna", "email": "anna@a.example"},
        "reason": "self_referral",
        "explanation": "The customer and the referrer share a mailbox.",
        "created_at": "2026-11-15T12:01:00Z",
    }
    assert (oldest["reason"], oldest["created_at"]) == ("same_device", "2026-11-15T12:00:00Z")


async def test_refused_referrals_come_in_pages(world: World) -> None:
    code = (await anna(world, device_id="phone-1"))["referral_code"]
    for number in range(3):
        await sign_up(world, email=f"jun{number}@j.example", device_id="phone-1", referral_code=code)
    answer = (await world.get("/referrals/refused?page=2&per_page=2")).json()
    assert [entry["customer"]["email"] for entry in answer["data"]] == ["jun0@j.example"]
    assert answer["meta"] == {"current_page": 2, "last_page": 2, "per_page": 2, "total": 3}
    assert (await world.get("/referrals/refused?page=3&per_page=2")).json()["data"] == []


@pytest.mark.parametrize(
    ("kind", "value", "currency"), [("percentage", 12.5, None), ("fixed", 5, "USD"), ("fixed", 250.5, "USD")]
)
async def test_a_referred_customer_is_welcomed_with_a_coupon(
    world: World, kind: str, value: float, currency: str | None
) -> None:
    referrer = await anna(world)
    await change_program(
        world,
        referral_welcome_discount_enabled=True,
        referral_welcome_discount_type=kind,
        referral_welcome_discount_value=value,
    )
    coupon = (await sign_up(world, referral_code=referrer["referral_code"])).json()["data"]["welcome_coupon"]
    code = coupon.pop("code")
    assert code.startswith("HI-")
    assert len(code) == 11
    assert coupon == {
        "id": 1,
        "discount_type": kind,
        "value": f"{value:.2f}",
        "currency": currency,
        "times_used": 0,
        "expires_at": "2026-12-15T12:00:00Z",
    }


@pytest.mark.parametrize("fields", [{}, {"referral_code": "NOPENOPE"}, {"device_id": "phone-1"}])
async def test_nobody_else_is_welcomed_with_a_coupon(world: World, fields: dict[str, str]) -> None:
    referrer = await anna(world, device_id="phone-1")
    await change_program(world, referral_welcome_discount_enabled=True)
    code = {"referral_code": referrer["referral_code"]} if "device_id" in fields else {}
    assert (await sign_up(world, **fields, **code)).json()["data"]["welcome_coupon"] is None


async def test_history_keeps_the_day_of_the_sign_up(world: World) -> None:
    referrer = await anna(world, created_at="2024-02-29T23:59:59Z")
    data = (
        await sign_up(world, created_at="2024-03-01T01:30:00.5+02:00", referral_code=referrer["referral_code"])
    ).json()["data"]
    assert data["customer"]["created_at"] == "2024-02-29T23:30:00Z"
    (entry,) = (await world.get("/referrals")).json()["data"]
    assert entry["referred_at"] == "2024-02-29T23:30:00Z"
    assert await kept(world.db) == await recounted(world.db)


async def test_only_a_token_for_imports_may_give_the_time(world: World) -> None:
    token = await world.new_token("store:write")
    answer = await world.post(CUSTOMERS, JUN | {"created_at": "2024-02-29T12:00:00Z"}, token=token)
    without = await world.post(CUSTOMERS, JUN | {"created_at": None}, token=token)
    assert answer.status_code == 403
    assert answer.json()["message"] == "The token lacks the required scope store:import."
    assert without.status_code == 201


@pytest.mark.parametrize(("time", "status"), [("2026-11-15T12:00:00Z", 201), ("2026-11-15T12:00:00.000001Z", 422)])
async def test_nobody_signs_up_in_the_future(world: World, time: str, status: int) -> None:
    answer = await sign_up(world, created_at=time)
    assert answer.status_code == status
    if status == 422:
        assert answer.json()["errors"] == {"created_at": ["The created at field must not lie in the future."]}


async def test_the_same_request_with_an_idempotency_key_signs_up_once(world: World) -> None:
    headers = {"Idempotency-Key": "sign-up-1"}
    first = await world.post(CUSTOMERS, JUN, headers=headers)
    again = await world.post(CUSTOMERS, JUN, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content


async def test_what_a_sign_up_changes_is_counted_right(world: World) -> None:
    code = (await anna(world, device_id="phone-1"))["referral_code"]
    await referred(world, code)
    world.clock.advance(DAY)
    await referred(world, code)
    await sign_up(world, device_id="phone-1", referral_code=code)
    assert await kept(world.db) == await recounted(world.db)
