"""Helpers that create webhooks and read the errors of rejected ones."""

from __future__ import annotations

from typing import Any

from tests.world import World

HOOK = {"url": "https://shop.example/hooks", "events": ["order.paid", "order.refunded"]}


async def make(world: World, **fields: Any) -> dict[str, Any]:
    answer = await world.post("/webhooks", HOOK | fields)
    assert answer.status_code == 201, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def rejection(field: str, sentence: str) -> dict[str, Any]:
    return {
        "success": False,
        "error": "Validation Error",
        "code": "validation_failed",
        "message": "The given data was invalid.",
        "errors": {field: [sentence]},
    }
