"""A setting that another process changes is in effect in a process that serves, without a restart."""

from __future__ import annotations

import asyncio
import time

import httpx

from lootkeep import wiring
from lootkeep.services import settings as settings_service
from tests.api.server.serving import PATIENCE_SECONDS, RunningServer, settings_of


def test_a_store_that_is_renamed_by_another_process_has_its_new_name_on_the_next_page(served: RunningServer) -> None:
    assert "Pixel Forge" not in page(served)
    asyncio.run(rename(served, "Pixel Forge"))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "Pixel Forge" not in page(served) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "<title>Sign in · Pixel Forge</title>" in page(served)


def page(served: RunningServer) -> str:
    return httpx.get(f"{served.url}/console/sign-in", timeout=PATIENCE_SECONDS).text


async def rename(served: RunningServer, name: str) -> None:
    async with wiring.opened(settings_of(served.environment)) as deps:
        await settings_service.save(deps, {"store_name": name})
