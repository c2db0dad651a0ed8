"""The receiver of one alert hangs: the others are sent."""

from __future__ import annotations

import asyncio

from lootkeep.engines.wakeup import Wakeup
from lootkeep.kernel.clock import SECOND
from lootkeep.wiring.observation import NOT_OBSERVED
from lootkeep.wiring.workers import make_queues
from tests.receiver import Receiver
from tests.worker.alerting import alert_of, new_alert, notify
from tests.world import World


async def test_an_alert_does_not_wait_for_a_receiver_that_hangs(
    insecure_world: World, receiver: Receiver, other_receiver: Receiver
) -> None:
    world, never, wakeup, stopping = insecure_world, asyncio.Event(), Wakeup(), asyncio.Event()

    async def hang(*_: object) -> None:
        await never.wait()

    receiver.behaviour = hang
    await new_alert(world, receiver.url, name="Hangs")
    world.clock.advance(SECOND)
    await new_alert(world, other_receiver.url, name="Works")
    await notify(world, "late")
    queues = make_queues(world.deps, world.settings, wakeup, None, NOT_OBSERVED)
    running = [asyncio.create_task(queue.run(stopping)) for queue in queues]
    await receiver.wait_for(1)
    await other_receiver.wait_for(1)
    is_hanging = (await alert_of(world)).failures == 0
    never.set()
    stopping.set()
    wakeup.wake()
    await asyncio.gather(*running)
    assert is_hanging
    assert (len(receiver.received), len(other_receiver.received)) == (1, 1)
