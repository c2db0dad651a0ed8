"""Counts and times as text."""

from __future__ import annotations

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND


def duration(microseconds: int) -> str:
    """`41 s`, `2 min`, `3 h 20 min`, `5 d`."""
    if microseconds < MINUTE:
        return f"{max(0, microseconds) // SECOND} s"
    if microseconds < HOUR:
        return f"{microseconds // MINUTE} min"
    if microseconds < DAY:
        hours, rest = divmod(microseconds, HOUR)
        minutes = rest // MINUTE
        return f"{hours} h {minutes} min" if minutes and hours < 10 else f"{hours} h"
    return f"{microseconds // DAY} d"


def spelled(microseconds: int) -> str:
    """`41 seconds`, `2 minutes`, `20 hours`, `214 days`."""
    units = ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second"))
    size, unit = next((unit for unit in units if microseconds >= unit[0]), units[-1])
    return plural(max(0, microseconds) // size, unit)


def plural(count: int, singular: str, many: str | None = None) -> str:
    """`1 order`, `2 orders`."""
    return f"{count:,} {singular if count == 1 else many or singular + 's'}"


def number(count: int) -> str:
    """`1,322`."""
    return f"{count:,}"


def percent(part: float, whole: float) -> str:
    """`18.6 %`; a dash if the whole is 0."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def change(now: float, before: float) -> str:
    """`+12.4 %`; nothing if there is no previous value."""
    return f"{100 * (now - before) / before:+.1f} %".replace("-", "−") if before else ""
