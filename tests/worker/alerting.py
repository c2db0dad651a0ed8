"""Alerts of a test, and notices for them."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.alerts import TRIGGERS, Alert
from lootkeep.services import alerts as alerts_service
from lootkeep.storage import alerts as alerts_db
from tests.world import World


async def new_alert(world: World, target: str, channel: str = "webhook", **fields: Any) -> Alert:
    defaults = {"name": "Staff", "channel": channel, "target": target, "triggers": list(TRIGGERS), "amount": None}
    return await alerts_service.create(
        world.deps, defaults | {"minutes": 15, "limit_per_hour": 10, "muted_until": None} | fields
    )


async def notify(world: World, *keys: str, text: str = "It is late") -> None:
    async with world.db.write() as tx:
        for key in keys:
            await alerts_db.raise_notice(tx, "backlog", key, text, "/health", world.clock.now())


async def alert_of(world: World, alert_id: int = 1) -> Alert:
    async with world.db.read() as tx:
        alert = await alerts_db.ROWS.get(tx, alert_id)
    assert alert is not None
    return alert
