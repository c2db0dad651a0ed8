"""How often someone may fail to prove who they are: a few times, and then after pauses that grow."""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant

FIRST_PAUSE = MINUTE
MAX_PAUSE = HOUR
# One failure is forgiven in this time: a mistake of last week does not count.
FORGIVEN_EVERY = 10 * MINUTE
# After this time without a failure nothing is left of any count.
REMEMBERED = DAY


class Limit(msgspec.Struct, frozen=True):
    """Whom an attempt counts for, and how many failures have no pause."""

    name: str
    free: int
    # Its failures are forgotten after a success; what strangers share only gets the one attempt back.
    is_own: bool = True


class FailureCount(msgspec.Struct, frozen=True):
    """The failures under one key."""

    key: str
    failures: int
    counted_at: Instant
    paused_until: Instant

    def pause(self, now: Instant) -> int:
        """How long to wait; a clock that was set back must not make anyone wait longer than the greatest pause."""
        left = self.paused_until - now
        return left if 0 < left <= MAX_PAUSE else 0


def after_failure(count: FailureCount, free: int, now: Instant) -> FailureCount:
    """Counted before the attempt is made, so that attempts at the same time are all counted."""
    forgiven = max(0, now - count.counted_at) // FORGIVEN_EVERY
    failures = max(0, count.failures - forgiven) + 1
    # From 64 on it is the greatest one anyway.
    pause = min(MAX_PAUSE, FIRST_PAUSE << min(failures - free, 6)) if failures >= free else 0
    return FailureCount(count.key, failures, now, Instant(now + pause))


def after_success(count: FailureCount, now: Instant) -> FailureCount:
    """Takes back the attempt that succeeded, with its pause."""
    return FailureCount(count.key, max(0, count.failures - 1), count.counted_at, now)
