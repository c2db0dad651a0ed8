"""Sends a raw request body."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx

from tests.world import World

BRONZE = {"name": "Bronze", "referrals_required": 5, "reward_type": "percentage_discount", "reward_value": 10}
JSON = {"Content-Type": "application/json"}


async def send(world: World, content: bytes | AsyncIterator[bytes], **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await world.post("/referrals/tiers", content=content, headers=JSON | named)
