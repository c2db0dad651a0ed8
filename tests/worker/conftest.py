"""Fixtures: receivers, a worker that delivers to them, and a mail server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep.engines.wakeup.memory import MemoryWakeup
from lootkeep.worker.deliveries import DeliveryWorker
from tests.mailbox import MailServer
from tests.receiver import Receiver
from tests.world import World


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
async def other_receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver


@pytest.fixture
def wakeup() -> MemoryWakeup:
    """Wakes the worker; a request of its own that has ended does so too."""
    return MemoryWakeup()


@pytest.fixture
def worker(insecure_world: World, wakeup: MemoryWakeup) -> DeliveryWorker:
    return DeliveryWorker(insecure_world.deps, wakeup)


@pytest.fixture
async def server() -> AsyncIterator[MailServer]:
    async with MailServer() as server:
        yield server
