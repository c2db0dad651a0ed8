"""Helpers that create reward tiers, referrals that count towards them, and claims."""

from __future__ import annotations

from typing import Any

import httpx

from tests.builders import STORE, new_customer, new_product, paid_order, referred
from tests.world import World

BRONZE = {"name": "Bronze", "referrals_required": 1, "reward_type": "percentage_discount", "reward_value": 10}


async def new_tier(world: World, **changes: Any) -> int:
    answer = await world.post("/referrals/tiers", BRONZE | changes)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["data"]["id"])


async def claim(world: World, customer_id: int, tier_id: int) -> httpx.Response:
    return await world.post(f"{STORE}/customers/{customer_id}/claims", {"tier_id": tier_id})


async def progress(world: World, customer_id: int) -> dict[str, Any]:
    answer = await world.get(f"{STORE}/customers/{customer_id}/referrals")
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def anna_with(world: World, *, bought: int = 0, waiting: int = 0) -> dict[str, Any]:
    """Anna and the friends she referred, some of whom have bought product 1."""
    anna: dict[str, Any] = (await new_customer(world, name="Anna", email="anna@a.example"))["customer"]
    await new_product(world, price="20.00")
    for number in range(bought + waiting):
        friend = await referred(world, anna["referral_code"])
        if number < bought:
            await paid_order(world, friend["id"], (1, 1))
    return anna
