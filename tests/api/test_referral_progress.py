"""How far a customer is towards each reward tier."""

from __future__ import annotations

from tests.api.claiming import anna_with, claim, new_tier, progress
from tests.builders import STORE
from tests.world import World


async def test_progress_shows_the_code_the_counts_and_each_tier(world: World) -> None:
    anna = await anna_with(world, bought=1, waiting=2)
    await new_tier(world, description="One friend")
    await new_tier(world, name="Silver", referrals_required=3, reward_type="fixed_discount", reward_value=5)
    assert await progress(world, anna["id"]) == {
        "referral_code": anna["referral_code"],
        "total_referrals": 3,
        "successful_referrals": 1,
        "counted_referrals": 1,
        "tiers": [
            {
                "id": 1,
                "name": "Bronze",
                "description": "One friend",
                "formatted_reward": "10% off",
                "referrals_required": 1,
                "referrals_missing": 0,
                "is_reached": True,
                "is_claimed": False,
            },
            {
                "id": 2,
                "name": "Silver",
                "description": None,
                "formatted_reward": "$5.00 off",
                "referrals_required": 3,
                "referrals_missing": 2,
                "is_reached": False,
                "is_claimed": False,
            },
        ],
        "claims": [],
    }


async def test_a_customer_without_referrals_has_every_tier_ahead(world: World) -> None:
    anna = await anna_with(world)
    await new_tier(world)
    current = await progress(world, anna["id"])
    assert (current["total_referrals"], current["successful_referrals"], current["counted_referrals"]) == (0, 0, 0)
    assert [tier["referrals_missing"] for tier in current["tiers"]] == [1]


async def test_progress_follows_the_reward_event_at_once(world: World) -> None:
    anna = await anna_with(world, bought=1, waiting=2)
    await new_tier(world, referrals_required=3)
    await world.put("/referrals/settings", {"referral_reward_event": "signup"})
    current = await progress(world, anna["id"])
    assert (current["counted_referrals"], current["tiers"][0]["is_reached"]) == (3, True)


async def test_an_inactive_tier_is_shown_only_to_those_who_claimed_it(world: World) -> None:
    anna = await anna_with(world, bought=1)
    await new_tier(world)
    await new_tier(world, name="Never claimed")
    await claim(world, anna["id"], 1)
    for tier in (1, 2):
        await world.post(f"/referrals/tiers/{tier}/toggle")
    current = await progress(world, anna["id"])
    assert [(tier["name"], tier["is_claimed"]) for tier in current["tiers"]] == [("Bronze", True)]


async def test_an_unknown_customer_has_no_progress_and_cannot_claim(world: World) -> None:
    await new_tier(world)
    for answer in (await world.get(f"{STORE}/customers/9/referrals"), await claim(world, 9, 1)):
        assert answer.status_code == 404
        assert answer.json()["message"] == "Customer not found."
