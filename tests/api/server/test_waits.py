"""A call that waits for events gets what another process has committed, before its time is over."""

from __future__ import annotations

import asyncio

import httpx

from lootkeep import wiring
from lootkeep.settings import Settings
from tests.api.server.serving import PATIENCE_SECONDS, RunningServer, settings_of
from tests.worker.delivering import record
from tests.world import World

FEED = "/api/external/v1/events"


async def test_an_event_of_another_process_ends_the_wait(served: RunningServer) -> None:
    headers = {"Authorization": f"Bearer {served.token}"}
    async with httpx.AsyncClient(base_url=served.url, headers=headers, timeout=PATIENCE_SECONDS) as client:
        for number in range(1, 4):
            call = asyncio.create_task(client.get(FEED, params={"wait": 30, "after": number - 1}))
            # It waits: the server has answered a call that was sent after it.
            await asyncio.sleep(0)
            assert (await client.get(FEED, params={"after": number - 1})).json()["data"]["events"] == []
            await _record(settings_of(served.environment))
            assert [event["id"] for event in (await call).json()["data"]["events"]] == [number]


async def _record(settings: Settings) -> None:
    engine = await wiring.open_database(settings)
    world = World(engine)
    await record(world)
    await world.close()
    await engine.close()
