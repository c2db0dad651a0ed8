"""Time divided into the blocks in which sales are summed, and any period as such blocks."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY, MINUTE, Instant

# Every time zone of the last fifty years is a multiple of this from UTC, so its days start with such a block.
QUARTER = 15 * MINUTE
# A year of sums is eleven periods and a few days, so it costs little more than a month.
PERIOD_DAYS = 32
# Sets have shorter blocks, because nothing can be subtracted from them.
EIGHT_DAYS = 8

# Levels. Blocks are counted since the epoch.
QUARTERS, DAYS, PERIODS, EIGHTS = 0, 1, 2, 3
LENGTHS = {QUARTERS: QUARTER, DAYS: DAY, PERIODS: PERIOD_DAYS * DAY, EIGHTS: EIGHT_DAYS * DAY}

# Level, first and end of consecutive blocks.
Run = tuple[int, int, int]
# A sign, and what to add or subtract.
SignedRun = tuple[int, Run]
SignedRange = tuple[int, Instant, Instant]


def nearest(start: Instant, end: Instant) -> tuple[list[SignedRun], list[SignedRange]]:
    """For sums: the nearest UTC periods and days, and what to add or subtract at both ends."""
    first, last = (start + DAY // 2) // DAY, (end + DAY // 2) // DAY
    if first >= last:
        return [], [(1, start, end)]
    edges = _signed((start, first * DAY), (last * DAY, end))
    return _fewest(first, last), [(sign, Instant(a), Instant(b)) for sign, a, b in edges]


def _fewest(first: int, last: int) -> list[SignedRun]:
    """Periods, and the days to add or subtract."""
    begin, end = ((day + PERIOD_DAYS // 2) // PERIOD_DAYS for day in (first, last))
    if begin >= end:
        return [(1, (DAYS, first, last))]
    days = _signed((first, begin * PERIOD_DAYS), (end * PERIOD_DAYS, last))
    return [(1, (PERIODS, begin, end)), *((sign, (DAYS, a, b)) for sign, a, b in days)]


def _signed(*ends: tuple[int, int]) -> list[tuple[int, int, int]]:
    return [(1, a, b) if a < b else (-1, b, a) for a, b in ends if a != b]


def within(start: Instant, end: Instant) -> tuple[list[Run], list[tuple[Instant, Instant]]]:
    """For sets: the blocks inside, and the rest at both ends."""
    first, last = -(-start // DAY), end // DAY
    if first > last:
        return [], [(start, end)]
    begin, stop = -(-first // EIGHT_DAYS), last // EIGHT_DAYS
    runs = [(DAYS, first, last)]
    if begin < stop:
        runs = [(EIGHTS, begin, stop), (DAYS, first, begin * EIGHT_DAYS), (DAYS, stop * EIGHT_DAYS, last)]
    edges = ((start, Instant(first * DAY)), (Instant(last * DAY), end))
    return [run for run in runs if run[1] < run[2]], [edge for edge in edges if edge[0] < edge[1]]
