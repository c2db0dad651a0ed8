"""Fixtures: receivers, a worker that delivers to them, and a mail server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from lootkeep.engines.wakeup import Wakeup
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
def wakeup() -> Wakeup:
    """Wakes the worker; a request of its own that has ended does so too."""
    return Wakeup()


@pytest.fixture
def worker(insecure_world: World, wakeup: Wakeup) -> DeliveryWorker:
    return DeliveryWorker(insecure_world.deps, wakeup)


@pytest.fixture
async def server() -> AsyncIterator[MailServer]:
    async with MailServer() as server:
        yield server
