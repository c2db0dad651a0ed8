"""Names and times for the tests of rate limiters."""

from __future__ import annotations

from uuid import uuid4

from lootkeep.kernel.clock import SECOND, Instant
from tests.world import NOON


def new_name() -> str:
    """The name of a caller without any hits, in Redis either."""
    return f"test:{uuid4()}"


def at(seconds: float) -> Instant:
    return Instant(NOON + round(seconds * SECOND))
