"""The amount above which an order is large for this store, measured again every week."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths

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


class Amounts:
    """The same in memory: takes orders in chronological order."""

    def __init__(self) -> None:
        self._orders: list[tuple[Instant, Hundredths]] = []
        self._week = -1
        self._line: Hundredths | None = None

    def line(self, at: Instant) -> Hundredths | None:
        if week_of(at) != self._week:
            self._week = week_of(at)
            begin, end = window(self._week)
            self._orders = [(time, amount) for time, amount in self._orders if time >= begin]
            amounts = sorted(amount for time, amount in self._orders if time < end)
            position = rank(len(amounts))
            self._line = None if position is None else amounts[position]
        return self._line

    def add(self, at: Instant, amount: Hundredths) -> None:
        self._orders.append((at, amount))
