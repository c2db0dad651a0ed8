"""A stretch of time as the blocks that are kept: months and days, and what is left over at both ends."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.rollups import DAYS, EIGHTS, MONTHS, first_day, month_of

# Of days that are added, rather than taken off a month, there are at most so many.
_HALF_A_MONTH = 15

# Level, first and end of some blocks.
Run = tuple[int, int, int]


# A sign, and what is added or taken off.
SignedRun = tuple[int, Run]
Edge = tuple[int, Instant, Instant]


def nearest(start: Instant, end: Instant) -> tuple[list[SignedRun], list[Edge]]:
    """For sums: the UTC months and days that come nearest, and what to add to them or take off at both ends."""
    first, last = nearest_days(start, end)
    if first >= last:
        return [], [(1, start, end)]
    edges = ((start, first * DAY), (last * DAY, end))
    signed = [(1, a, b) if a < b else (-1, b, a) for a, b in edges if a != b]
    return _fewest(first, last), [(sign, Instant(a), Instant(b)) for sign, a, b in signed]


def _fewest(first: int, last: int) -> list[SignedRun]:
    """Months, and the days by which they have too little or too much, whichever are fewer."""
    (begin, end), around = months_and_days(first, last)
    if begin >= end:
        return [(1, (DAYS, *run)) for run in around]
    (before, after) = around
    days: list[SignedRun] = [(1, (DAYS, *before)), (1, (DAYS, *after))]
    if before[1] - before[0] > _HALF_A_MONTH:
        begin -= 1
        days[0] = (-1, (DAYS, first_day(begin), first))
    if after[1] - after[0] > _HALF_A_MONTH:
        end += 1
        days[1] = (-1, (DAYS, last, first_day(end)))
    return [(sign, run) for sign, run in [(1, (MONTHS, begin, end)), *days] if run[1] < run[2]]


def nearest_days(start: Instant, end: Instant) -> tuple[int, int]:
    return (start + DAY // 2) // DAY, (end + DAY // 2) // DAY


def within(start: Instant, end: Instant) -> tuple[list[Run], list[tuple[Instant, Instant]]]:
    """For sets, from which nothing can be taken off: blocks that lie within, and what is left over at both ends."""
    first, last = -(-start // DAY), end // DAY
    if first > last:
        return [], [(start, end)]
    months, around = months_and_days(first, last)
    runs = [(MONTHS, *months)]
    for begin, stop in around:
        eight, eights_end = -(-begin // 8), stop // 8
        if eight < eights_end:
            runs += [(DAYS, begin, eight * 8), (EIGHTS, eight, eights_end), (DAYS, eights_end * 8, stop)]
        else:
            runs.append((DAYS, begin, stop))
    edges = ((start, Instant(first * DAY)), (Instant(last * DAY), end))
    return some(runs), [edge for edge in edges if edge[0] < edge[1]]


def named(run: Run) -> dict[str, int]:
    return dict(zip(("of_level", "first", "stop"), run, strict=True))


def some(runs: list[Run]) -> list[Run]:
    return [run for run in runs if run[1] < run[2]]


def months_and_days(first: int, last: int) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Days, the last excluded, as the months that lie within and the days around them."""
    begin, end = month_of(first), month_of(last)
    if first_day(begin) < first:
        begin += 1
    if begin >= end:
        return (0, 0), [(first, last)]
    return (begin, end), [(first, first_day(begin)), (first_day(end), last)]
