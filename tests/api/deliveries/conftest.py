"""Fixtures: a receiver of deliveries and the worker that sends them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep.engines.wakeup import Wakeup
from lootkeep.worker.deliveries import DeliveryWorker
from tests.receiver import Receiver
from tests.world import World


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
def worker(insecure_world: World) -> DeliveryWorker:
    return DeliveryWorker(insecure_world.deps, Wakeup())
