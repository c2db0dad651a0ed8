"""A gift card in each of its states, and short ways to read and redeem it."""

from __future__ import annotations

from typing import Any

import httpx

from lootkeep.kernel.clock import MINUTE
from tests.builders import new_gift_card
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
