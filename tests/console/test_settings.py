"""Settings in the console: to read, with their secrets hidden."""

from __future__ import annotations

from typing import Any

from tests.console.visits import visitor
from tests.world import World


async def test_settings_are_shown_with_their_purpose_and_without_secrets(world: World) -> None:
    settings: dict[str, Any] = {
        "currency": "EUR",
        "mail_from": "Shop <shop@example.com>",
        "redis_url": "redis://:swordfish@cache.example/0",
        "smtp_url": "smtp://shop:hunter22@mail.example:25",
    }
    other = World(world.db, clock=world.clock, **settings)
    page = (await (await visitor(other, "owner")).get("/settings")).text
    assert "LOOTKEEP_CURRENCY" in page
    assert "EUR" in page
    assert "cache.example" in page
    assert ("hunter22" in page, "swordfish" in page) == (False, False)
    await other.close()
