"""Webhooks with silent name servers do not delay the others."""

from __future__ import annotations

import asyncio
import dataclasses
from contextlib import AsyncExitStack

from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from lootkeep.engines.resolver import Resolver
from lootkeep.engines.wakeup import Wakeup
from lootkeep.worker.deliveries import DeliveryWorker
from tests.engines.name_servers import StubNames
from tests.receiver import PATIENCE_SECONDS, Receiver
from tests.worker.delivering import record, running
from tests.world import World

SILENT, HEALTHY = 30, 20


async def test_thirty_webhooks_with_silent_name_servers_do_not_delay_twenty_others(
    insecure_world: World,
) -> None:
    names, wakeup = StubNames(), Wakeup()
    outbound = Outbound(LOOPBACK, None, Resolver(names.look_up, deadline_seconds=PATIENCE_SECONDS))
    deps = dataclasses.replace(insecure_world.deps, outbound=outbound)
    async with AsyncExitStack() as stack:
        receivers = [await stack.enter_async_context(Receiver()) for _ in range(HEALTHY)]
        for number in range(SILENT):
            await subscribe(insecure_world, f"http://silent{number}.example/")
        for number, receiver in enumerate(receivers):
            await subscribe(insecure_world, f"http://healthy{number}.example:{receiver.port}/")
        await record(insecure_world)
        stack.push_async_callback(outbound.close)
        await stack.enter_async_context(running(DeliveryWorker(deps, wakeup), wakeup))
        stack.callback(names.speak.set)
        await asyncio.gather(*(receiver.wait_for(1) for receiver in receivers))
        asked_names = sorted(name for name in names.asked if name.startswith("silent"))
    assert asked_names == sorted(f"silent{number}.example" for number in range(SILENT))


async def subscribe(world: World, url: str) -> None:
    await world.post("/webhooks", {"url": url, "events": ["product.created"]})
