"""Records events without the operations that cause them, and reads the delivery log."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.storage.events import outbox as outbox_db
from tests.world import World


class SampleData(msgspec.Struct):
    number: int


async def record(world: World, count: int, event_type: str = "product.created") -> None:
    """This many events at once, without the operations that cause them."""
    async with world.db.write() as tx:
        for number in range(count):
            await outbox_db.append(tx, event_type, SampleData(number), world.clock.now())


async def log(world: World, webhook: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    answer = await world.get(f"/webhooks/{webhook['id']}/deliveries{query}")
    assert answer.status_code == 200, answer.text
    deliveries: list[dict[str, Any]] = answer.json()["data"]
    return deliveries
