"""Fixtures: a folder of lists, an HTTP client and a receiver."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from lootkeep.domain.webhooks import LOOPBACK
from lootkeep.engines.outbound import Outbound
from tests.engines.lists import ListFolder
from tests.receiver import Receiver


@pytest.fixture
def lists(tmp_path: Path) -> ListFolder:
    return ListFolder(tmp_path)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
async def outbound(authority: trustme.CA) -> AsyncIterator[Outbound]:
    """A client that may reach loopback and trusts only the certificate authority of the test."""
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    outbound = Outbound(LOOPBACK, trust)
    yield outbound
    await outbound.close()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver() as receiver:
        yield receiver
