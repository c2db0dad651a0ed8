"""The amount above which an order is large for this store, measured again every week."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY

WEEK = 7 * DAY
# The period before the week from which orders are used.
_MEMORY = 90 * DAY
# With fewer orders, a large order cannot be distinguished from an ordinary one.
_MIN_ORDERS = 100
# A limit that could not be measured again is used for this many weeks.
MAX_WEEKS = 13


def week_of(at: int) -> int:
    """Weeks since the epoch."""
    return at // WEEK


def window(week: int) -> tuple[int, int]:
    """The orders that define the limit of a week: from the first time to just before the second."""
    return week * WEEK - _MEMORY, week * WEEK


def rank(orders: int) -> int | None:
    """Which of N amounts in ascending order is the limit; null if there are too few."""
    return -(-orders * 9 // 10) - 1 if orders >= _MIN_ORDERS else None
