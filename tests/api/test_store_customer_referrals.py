"""Referral codes that are sent with a sign-up."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.sign_ups import anna, sign_up
from tests.builders import STORE, new_order, new_product, referred
from tests.recount import maintained, recounted
from tests.world import World

NOT_ATTRIBUTED: dict[str, Any] = {"attributed": False, "referrer": None, "marks": []}


async def change_program(world: World, **settings: Any) -> None:
    assert (await world.put("/referrals/settings", settings)).status_code == 200


async def refused(world: World) -> list[dict[str, Any]]:
    referrals: list[dict[str, Any]] = (await world.get("/referrals/refused")).json()["data"]
    return referrals


async def total_referrals(world: World) -> int:
    return int((await world.get("/referrals")).json()["meta"]["total"])


async def test_a_referral_is_attributed_and_announced(world: World) -> None:
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


async def test_the_code_of_an_erased_customer_is_nobodys_and_claims_nothing(world: World) -> None:
    await change_program(world, referral_reward_event="signup")
    tier = {"name": "One", "referrals_required": 1, "reward_type": "fixed_discount", "reward_value": 5}
    assert (await world.post("/referrals/tiers", tier)).status_code == 201
    referrer = await anna(world)
    await referred(world, referrer["referral_code"])
    assert (await world.delete(f"{STORE}/customers/{referrer['id']}")).status_code == 200
    validated = await world.post("/referrals/validate", {"code": referrer["referral_code"]})
    assert validated.json()["data"] == {"valid": False, "error": "Invalid referral code"}
    data = (await sign_up(world, referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["reason"] == "unknown_code"
    claimed = await world.post(f"{STORE}/customers/{referrer['id']}/claims", {"tier_id": 1})
    assert (claimed.status_code, claimed.json()["code"]) == (422, "customer_erased")
    assert await total_referrals(world) == 1


@pytest.mark.parametrize("code", ["", "   "])
async def test_a_blank_code_counts_as_no_code(world: World, code: str) -> None:
    assert (await sign_up(world, referral_code=code)).json()["data"]["referral"] is None


async def test_a_disabled_program_attributes_nothing(world: World) -> None:
    referrer = await anna(world)
    await referred(world, referrer["referral_code"])
    await change_program(world, referral_enabled=False, referral_welcome_discount_enabled=True)
    data = (await sign_up(world, referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"] == NOT_ATTRIBUTED | {
        "reason": "program_disabled",
        "explanation": "The referral program is disabled.",
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
        ("anna@proton.me", "an-na@pm.me"),
        ("anna@icloud.com", "anna@me.com"),
        ("an.na@yandex.ru", "an-na@ya.ru"),
        ("anna-1@yahoo.com", "anna-2@yahoo.com"),
        ("anna@fastmail.com", "2@anna.fastmail.com"),
    ],
)
async def test_an_alias_of_the_referrers_mailbox_is_not_referred(world: World, first: str, second: str) -> None:
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


async def test_dots_are_significant_where_the_provider_distinguishes_them(world: World) -> None:
    referrer = await anna(world, email="an.na@a.example")
    data = (await sign_up(world, email="anna@a.example", referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["attributed"] is True


@pytest.mark.parametrize("device_id", ["phone-1", " Phone-1", "PHONE-1\t"])
async def test_an_account_on_the_referrers_device_is_not_referred(world: World, device_id: str) -> None:
    referrer = await anna(world, device_id="phone-1")
    data = (await sign_up(world, device_id=device_id, referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["attributed"] is False
    assert data["referral"]["reason"] == "same_device"


async def test_a_device_is_recognised_from_an_order_too(world: World) -> None:
    referrer = await anna(world)
    product = await new_product(world)
    await new_order(world, referrer["id"], (product["id"], 1), device_id=" Phone-1 ")
    data = (await sign_up(world, device_id="phone-1", referral_code=referrer["referral_code"])).json()["data"]
    assert data["referral"]["reason"] == "same_device"


@pytest.mark.parametrize("shared", [{"device_id": "phone-1"}, {"email": "anna+again@a.example"}])
@pytest.mark.parametrize("steps", [2, 3])
async def test_a_referral_cycle_of_any_length_is_rejected(world: World, steps: int, shared: dict[str, str]) -> None:
    code = (await anna(world, device_id="phone-1"))["referral_code"]
    for _ in range(steps - 1):
        code = (await referred(world, code))["referral_code"]
    data = (await sign_up(world, **shared, referral_code=code)).json()["data"]
    assert data["referral"]["attributed"] is False
    assert data["referral"]["reason"] == "circular_referral"
    assert await total_referrals(world) == steps - 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"email": "jun+1@gmail.com"}, {"email": "j.un+2@gmail.com"}),
        ({"device_id": "tablet"}, {"device_id": "Tablet "}),
    ],
)
async def test_a_mailbox_or_a_device_is_referred_once_by_anyone(
    world: World, first: dict[str, str], second: dict[str, str]
) -> None:
    await change_program(world, referral_welcome_discount_enabled=True)
    one, other = await anna(world), await anna(world, email="bea@b.example")
    friend = await referred(world, one["referral_code"], **first)
    assert (await world.delete(f"{STORE}/customers/{friend['id']}")).status_code == 200
    data = (await sign_up(world, **second, referral_code=other["referral_code"])).json()["data"]
    assert data["referral"] == {
        "attributed": False,
        "reason": "already_referred",
        "explanation": "The customer's mailbox or device was referred before.",
        "referrer": {"id": other["id"], "name": "Anna"},
        "marks": [],
    }
    assert data["welcome_coupon"] is None
    assert data["customer"]["referred_by"] is None
    assert [row["reason"] for row in await refused(world)] == ["already_referred"]
    assert await total_referrals(world) == 1
    assert await maintained(world.db) == await recounted(world.db)


async def test_a_sign_up_that_was_not_attributed_does_not_use_up_its_device(world: World) -> None:
    referrer = await anna(world, device_id="phone-1")
    rejected = await sign_up(world, device_id="phone-1", referral_code=referrer["referral_code"])
    assert rejected.json()["data"]["referral"]["reason"] == "same_device"
    other = await anna(world, email="bea@b.example")
    await referred(world, other["referral_code"], device_id="phone-1")


@pytest.mark.parametrize("seen_from", ["203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107"])
async def test_a_referral_from_the_same_ip_is_attributed_and_flagged(world: World, seen_from: str) -> None:
    referrer = await anna(world, ip_address="203.0.113.7")
    data = (await sign_up(world, ip_address=seen_from, referral_code=referrer["referral_code"])).json()["data"]
    assert (data["referral"]["attributed"], data["referral"]["marks"]) == (True, ["same_address"])


async def test_a_referral_from_the_same_ipv6_network_is_flagged(world: World) -> None:
    referrer = await anna(world, ip_address="2001:db8:0:7::1")
    fields = {"ip_address": "2001:db8:0:7:a:b:c:d", "referral_code": referrer["referral_code"]}
    assert (await sign_up(world, **fields)).json()["data"]["referral"]["marks"] == ["same_address"]


async def test_a_referral_with_the_same_e_mail_domain_is_attributed_and_flagged(world: World) -> None:
    referrer = await anna(world, ip_address="203.0.113.7")
    fields = {"email": "jun@A.example", "ip_address": "203.0.113.7", "referral_code": referrer["referral_code"]}
    data = (await sign_up(world, **fields)).json()["data"]
    assert data["referral"]["attributed"] is True
    assert data["referral"]["marks"] == ["same_address", "same_email_domain"]
    assert await total_referrals(world) == 1


async def test_rejected_referrals_are_listed_for_staff_newest_first(world: World) -> None:
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


async def test_rejected_referrals_are_paged(world: World) -> None:
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
async def test_a_referred_customer_gets_a_welcome_coupon(
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
async def test_nobody_else_gets_a_welcome_coupon(world: World, fields: dict[str, str]) -> None:
    referrer = await anna(world, device_id="phone-1")
    await change_program(world, referral_welcome_discount_enabled=True)
    code = {"referral_code": referrer["referral_code"]} if "device_id" in fields else {}
    assert (await sign_up(world, **fields, **code)).json()["data"]["welcome_coupon"] is None


async def test_a_sign_up_updates_every_count_correctly(world: World) -> None:
    code = (await anna(world, device_id="phone-1"))["referral_code"]
    await referred(world, code)
    world.clock.advance(DAY)
    await referred(world, code)
    await sign_up(world, device_id="phone-1", referral_code=code)
    assert await maintained(world.db) == await recounted(world.db)
