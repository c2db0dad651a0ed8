"""The referral program from the first sign-up to the claimed reward, over HTTP."""

from __future__ import annotations

import pytest

from tests.builders import STORE, new_customer, new_order, new_product, paid_order, referred
from tests.world import World


async def test_a_referral_is_listed_pending_and_becomes_successful_with_the_first_paid_order(world: World) -> None:
    anna = (await new_customer(world, name="Anna", email="anna@a.example"))["customer"]
    ben = await referred(world, anna["referral_code"], name="Ben", email="ben@b.example")
    product = await new_product(world)
    (before,) = (await world.get("/referrals")).json()["data"]
    await paid_order(world, ben["id"], (product["id"], 1))
    answer = (await world.get("/referrals")).json()
    assert before["status"] == "pending"
    assert before["first_order_at"] is None
    assert answer == {
        "success": True,
        "data": [
            {
                "id": ben["id"],
                "name": "Ben",
                "email": "ben@b.example",
                "referred_at": "2026-11-15T12:00:00Z",
                "referrer": {
                    "id": anna["id"],
                    "name": "Anna",
                    "email": "anna@a.example",
                    "referral_code": anna["referral_code"],
                },
                "status": "successful",
                "first_order_at": "2026-11-15T12:00:00Z",
            }
        ],
        "meta": {"current_page": 1, "last_page": 1, "per_page": 15, "total": 1},
    }


async def test_the_statistics_follow_every_step(world: World) -> None:
    anna = (await new_customer(world))["customer"]
    product = await new_product(world, price="30.00")
    friends = [await referred(world, anna["referral_code"]) for _ in range(3)]
    await paid_order(world, friends[0]["id"], (product["id"], 1))
    tier = {"name": "One", "referrals_required": 1, "reward_type": "fixed_discount", "reward_value": 5}
    await world.post("/referrals/tiers", tier)
    claim = (await world.post(f"{STORE}/customers/{anna['id']}/claims", {"tier_id": 1})).json()["data"]
    await paid_order(world, anna["id"], (product["id"], 1), coupon_code=claim["coupon"]["code"].lower())
    assert (await world.get("/referrals/statistics")).json()["data"] == {
        "total_referrals": 3,
        "successful_referrals": 1,
        "conversion_rate": 33.33,
        "rewards_claimed": 1,
        "total_coupons_value": 5,
    }


async def test_a_full_refund_of_the_only_order_resets_the_referral(world: World) -> None:
    anna = (await new_customer(world))["customer"]
    ben = await referred(world, anna["referral_code"])
    product = await new_product(world)
    order = await paid_order(world, ben["id"], (product["id"], 1))
    await world.post(f"{STORE}/orders/{order['id']}/refund", {"amount": "5.00"})
    partly = (await world.get("/referrals?status=successful")).json()["meta"]["total"]
    await world.post(f"{STORE}/orders/{order['id']}/refund")
    wholly = (await world.get("/referrals?status=successful")).json()["meta"]["total"]
    assert (partly, wholly) == (1, 0)
    (entry,) = (await world.get("/referrals?status=pending")).json()["data"]
    assert entry["first_order_at"] is None


async def test_the_reward_event_applies_at_once_to_ranking_and_tiers(world: World) -> None:
    anna = (await new_customer(world, name="Anna"))["customer"]
    for _ in range(2):
        await referred(world, anna["referral_code"])
    await world.post(
        "/referrals/tiers",
        {"name": "Two", "referrals_required": 2, "reward_type": "percentage_discount", "reward_value": 10},
    )
    before = (await world.get("/referrals/leaderboard")).json()["data"]
    refused = await world.post(f"{STORE}/customers/{anna['id']}/claims", {"tier_id": 1})
    await world.put("/referrals/settings", {"referral_reward_event": "signup"})
    after = (await world.get("/referrals/leaderboard")).json()["data"]
    claimed = await world.post(f"{STORE}/customers/{anna['id']}/claims", {"tier_id": 1})
    assert before == [{"id": anna["id"], "name": "Anna", "referral_count": 0}]
    assert refused.status_code == 422
    assert refused.json()["code"] == "tier_not_reached"
    assert after == [{"id": anna["id"], "name": "Anna", "referral_count": 2}]
    assert claimed.status_code == 201


async def test_a_code_is_validated_without_regard_to_case_and_blanks(world: World) -> None:
    anna = (await new_customer(world, name="Anna"))["customer"]
    code = anna["referral_code"]
    typed = f" {code[:4].lower()} {code[4:].lower()} "
    valid = (await world.post("/referrals/validate", {"code": typed})).json()
    unknown = await world.post("/referrals/validate", {"code": "NOPENOPE"})
    assert valid["data"] == {"valid": True, "referrer": {"id": anna["id"], "name": "Anna"}}
    assert unknown.status_code == 200
    assert unknown.json()["data"] == {"valid": False, "error": "Invalid referral code"}


@pytest.mark.parametrize("code", ["x" * 256, "x" * 60_000, " ", "é", "🎮", "' or 1=1"])
async def test_a_code_that_no_customer_can_have_is_unknown_like_any_other(world: World, code: str) -> None:
    answer = await world.post("/referrals/validate", {"code": code})
    assert (answer.status_code, answer.json()["data"]) == (200, {"valid": False, "error": "Invalid referral code"})


async def test_cancelling_an_order_returns_its_coupon_and_stock(world: World) -> None:
    anna = (await new_customer(world))["customer"]
    await world.put("/referrals/settings", {"referral_welcome_discount_enabled": True})
    friend = await new_customer(world, referral_code=anna["referral_code"])
    product = await new_product(world, stock=1)
    code = friend["welcome_coupon"]["code"]
    order = await new_order(world, friend["customer"]["id"], (product["id"], 1), coupon_code=code)
    cancelled = (await world.post(f"{STORE}/orders/{order['id']}/cancel", {"reason": "never paid"})).json()["data"]
    again = await new_order(world, friend["customer"]["id"], (product["id"], 1), coupon_code=code)
    assert (cancelled["status"], cancelled["cancel_reason"]) == ("cancelled", "never paid")
    assert (again["status"], again["discount_total"]) == ("pending", "2.00")
