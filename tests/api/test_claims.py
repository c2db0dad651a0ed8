"""Claiming reward tiers: the rules, the coupon, and the list of claims."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.kernel.clock import DAY
from tests.api.claiming import anna_with, claim, new_tier, progress
from tests.builders import STORE, new_order, paid_order
from tests.recount import maintained, outbox, recounted
from tests.world import World

MINUTE = 60_000_000
NOT_REACHED = "1 more referral is needed for the tier Bronze."


async def test_a_claim_is_returned_with_its_coupon(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world, coupon_validity_days=7)
    world.clock.advance(MINUTE)
    answer = await claim(world, anna["id"], 1)
    code = answer.json()["data"]["coupon"]["code"]
    assert answer.status_code == 201
    assert answer.json() == {
        "success": True,
        "message": "Reward claimed successfully",
        "data": {
            "id": 1,
            "tier_id": 1,
            "coupon": {
                "id": 1,
                "code": code,
                "discount_type": "percentage",
                "value": "10.00",
                "currency": None,
                "times_used": 0,
                "expires_at": "2026-11-22T12:01:00Z",
            },
            "claimed_at": "2026-11-15T12:01:00Z",
        },
    }
    assert code.startswith("REF-")
    assert (await progress(world, anna["id"]))["claims"] == [answer.json()["data"]]
    assert await maintained(world.db) == await recounted(world.db)


async def test_a_fixed_tier_gives_a_coupon_in_its_currency(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world, reward_type="fixed_discount", reward_value="7.50", reward_currency="EUR")
    coupon = (await claim(world, anna["id"], 1)).json()["data"]["coupon"]
    assert (coupon["discount_type"], coupon["value"], coupon["currency"]) == ("fixed", "7.50", "EUR")


async def test_claiming_again_gives_the_same_coupon(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    first = await claim(world, anna["id"], 1)
    world.clock.advance(DAY)
    again = await claim(world, anna["id"], 1)
    assert (again.status_code, again.json()["message"]) == (200, "The reward had been claimed before")
    assert again.json()["data"] == first.json()["data"]
    assert await maintained(world.db) == await recounted(world.db)


async def test_a_coupon_keeps_the_reward_at_the_time_of_its_claim(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    first = await claim(world, anna["id"], 1)
    await world.put("/referrals/tiers/1", {"reward_value": 50, "coupon_validity_days": 365})
    assert (await claim(world, anna["id"], 1)).json()["data"] == first.json()["data"]


async def test_claiming_again_works_after_the_tier_became_inactive_or_unreachable(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    first = await claim(world, anna["id"], 1)
    await world.put("/referrals/tiers/1", {"is_active": False, "referrals_required": 50})
    again = await claim(world, anna["id"], 1)
    assert (again.status_code, again.json()["data"]) == (200, first.json()["data"])


@pytest.mark.parametrize(
    ("required", "sentence"),
    [(2, NOT_REACHED), (4, "3 more referrals are needed for the tier Bronze.")],
)
async def test_a_tier_that_is_not_reached_cannot_be_claimed(world: World, required: int, sentence: str) -> None:
    anna = await anna_with(world, bought=1, waiting=3)
    await new_tier(world, referrals_required=required)
    answer = await claim(world, anna["id"], 1)
    assert answer.status_code == 422
    assert answer.json() == {
        "success": False,
        "error": "Unprocessable",
        "code": "tier_not_reached",
        "message": sentence,
    }
    assert (await progress(world, anna["id"]))["claims"] == []


async def test_an_inactive_tier_cannot_be_claimed(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world, is_active=False)
    answer = await claim(world, anna["id"], 1)
    assert answer.status_code == 422
    assert answer.json()["code"] == "tier_inactive"
    assert answer.json()["message"] == "The tier Bronze cannot be claimed right now."


async def test_an_unknown_tier_is_a_wrong_field(world: World) -> None:
    anna = await anna_with(world, bought=1)
    answer = await claim(world, anna["id"], 9)
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"tier_id": ["The tier id field is not a referral tier of this store."]}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "The tier id field is required."),
        ({"tier_id": "1"}, "The tier id field must be an integer."),
        ({"tier_id": 0}, "The tier id field must be at least 1."),
    ],
)
async def test_a_claim_names_its_tier(shared_world: World, body: dict[str, Any], sentence: str) -> None:
    answer = await shared_world.post(f"{STORE}/customers/1/claims", body)
    assert answer.status_code == 422
    assert answer.json()["errors"] == {"tier_id": [sentence]}


async def test_one_referral_is_enough_for_every_tier_it_reaches(world: World) -> None:
    anna = await anna_with(world, bought=1)
    for name in ("Bronze", "Silver"):
        await new_tier(world, name=name)
    answers = [await claim(world, anna["id"], tier) for tier in (1, 2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    codes = {answer.json()["data"]["coupon"]["code"] for answer in answers}
    assert len(codes) == 2


async def test_only_the_claimer_can_use_a_claimed_coupon(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    code = (await claim(world, anna["id"], 1)).json()["data"]["coupon"]["code"]
    order = {"customer_id": 2, "items": [{"product_id": 1, "quantity": 1}], "ip_address": "203.0.113.9"}
    refused = await world.post(f"{STORE}/orders", order | {"coupon_code": code})
    own = await new_order(world, anna["id"], (1, 1), coupon_code=code)
    assert refused.status_code == 422
    assert own["discount_total"] == "2.00"


async def test_claims_are_listed_newest_first_with_the_state_of_their_coupon(world: World) -> None:
    anna = await anna_with(world, bought=1)
    for name in ("Bronze", "Silver"):
        await new_tier(world, name=name)
    first = (await claim(world, anna["id"], 1)).json()["data"]
    world.clock.advance(MINUTE)
    second = (await claim(world, anna["id"], 2)).json()["data"]
    await paid_order(world, anna["id"], (1, 1), coupon_code=first["coupon"]["code"])
    await new_order(world, anna["id"], (1, 1), coupon_code=second["coupon"]["code"])
    who = {"id": anna["id"], "name": "Anna", "email": "anna@a.example"}
    assert (await world.get("/referrals/claims")).json() == {
        "success": True,
        "data": [
            {
                "id": 2,
                "customer": who,
                "tier": {"id": 2, "name": "Silver", "referrals_required": 1},
                "coupon": {"id": 2, "code": second["coupon"]["code"], "times_used": 0},
                "claimed_at": "2026-11-15T12:01:00Z",
            },
            {
                "id": 1,
                "customer": who,
                "tier": {"id": 1, "name": "Bronze", "referrals_required": 1},
                "coupon": {"id": 1, "code": first["coupon"]["code"], "times_used": 1},
                "claimed_at": "2026-11-15T12:00:00Z",
            },
        ],
        "meta": {"current_page": 1, "last_page": 1, "per_page": 15, "total": 2},
    }


async def test_claims_are_paged(world: World) -> None:
    anna = await anna_with(world, bought=1)
    for number in range(5):
        await claim(world, anna["id"], await new_tier(world, name=f"Tier {number}"))
    answer = (await world.get("/referrals/claims?page=2&per_page=2")).json()
    past = (await world.get("/referrals/claims?page=9&per_page=2")).json()
    assert [entry["tier"]["name"] for entry in answer["data"]] == ["Tier 2", "Tier 1"]
    assert answer["meta"] == {"current_page": 2, "last_page": 3, "per_page": 2, "total": 5}
    assert (past["data"], past["meta"]["total"]) == ([], 5)


@pytest.mark.parametrize("query", ["page=0", "per_page=0", "per_page=101", "page=x"])
async def test_a_page_out_of_bounds_is_rejected(shared_world: World, query: str) -> None:
    assert (await shared_world.get(f"/referrals/claims?{query}")).status_code == 422


async def test_a_tier_with_claims_is_deactivated_instead_of_deleted(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    await claim(world, anna["id"], 1)
    answer = await world.delete("/referrals/tiers/1")
    (tier,) = (await world.get("/referrals/tiers")).json()["data"]
    assert answer.status_code == 200
    assert answer.json() == {
        "success": True,
        "message": "Referral tier has been deactivated (has existing claims)",
    }
    assert (tier["is_active"], tier["claims_count"]) == (False, 1)
    assert (await world.get("/referrals/claims")).json()["meta"]["total"] == 1


async def test_a_claim_stays_when_the_referral_is_refunded(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    granted = (await claim(world, anna["id"], 1)).json()["data"]
    await world.post(f"{STORE}/orders/1/refund")
    shown = await progress(world, anna["id"])
    again = await claim(world, anna["id"], 1)
    order = await new_order(world, anna["id"], (1, 1), coupon_code=granted["coupon"]["code"])
    assert (shown["counted_referrals"], shown["claims"]) == (0, [granted])
    assert (shown["tiers"][0]["is_reached"], shown["tiers"][0]["is_claimed"]) == (False, True)
    assert (again.status_code, again.json()["data"]) == (200, granted)
    assert order["discount_total"] == "2.00"
    assert (await world.get("/referrals/statistics")).json()["data"]["rewards_claimed"] == 1


async def test_a_claim_sends_no_event(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    before = await outbox(world.db, "")
    await claim(world, anna["id"], 1)
    assert await outbox(world.db, "") == before


async def test_the_scopes_of_reading_and_claiming_are_separate(world: World) -> None:
    await new_tier(world)
    reader, writer = await world.new_token("store:read"), await world.new_token("store:write")
    read = await world.get(f"{STORE}/customers/1/referrals", token=writer)
    claimed = await world.post(f"{STORE}/customers/1/claims", {"tier_id": 1}, token=reader)
    assert (read.status_code, claimed.status_code) == (403, 403)
