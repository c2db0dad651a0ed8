"""Helpers that create the store's own rules and lists."""

from __future__ import annotations

from typing import Any

from tests.api.fraud.shop import check, judged
from tests.world import World

RULE = {"name": "VPN", "expression": "is_vpn and total > 10", "action": "verify", "mode": "on"}


async def make(world: World, **changes: Any) -> dict[str, Any]:
    answer = await world.post("/fraud/rules", RULE | changes)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def new_list(world: World, name: str, kind: str, *values: str, **fields: Any) -> int:
    data = (await world.post("/fraud/lists", {"name": name, "kind": kind})).json()["data"]
    if values:
        answer = await world.post(f"/fraud/lists/{data['id']}/entries", {"values": values, **fields})
        assert answer.status_code == 200, answer.text
    return int(data["id"])


async def action(world: World, customer: int, **fields: Any) -> tuple[str, dict[str, int], list[str]]:
    """The action taken on an order, its points, and the rules that matched."""
    order = await judged(world, customer, **fields)
    detail = (await check(world, order["fraud_check"]["id"]))["check"]
    return detail["action_taken"], detail["signals"], [rule["name"] for rule in detail["rules"]]
