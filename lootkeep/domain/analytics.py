"""The date range of a report, in any time zone, and how it is divided into buckets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from lootkeep.kernel.clock import HOUR, Instant, instant, iso, utc
from lootkeep.kernel.errors import invalid
from lootkeep.kernel.money import Hundredths

PeriodName = Literal[
    "today", "yesterday", "last_7_days", "last_30_days", "last_90_days", "this_month", "last_month", "this_year"
]
Interval = Literal["hour", "day", "week", "month"]

# The maximum number of days for each interval.
MAX_RANGE: dict[Interval, int] = {"hour": 7, "day": 366, "week": 731, "month": 3653}
# The default interval for up to this many days.
_DEFAULTS: tuple[tuple[int, Interval], ...] = ((2, "hour"), (92, "day"), (183, "week"))
_LAST_DAYS: dict[str, int] = {"today": 1, "last_7_days": 7, "last_30_days": 30, "last_90_days": 90}


_EPOCH = date(1970, 1, 1)


class SalesFigures(msgspec.Struct, frozen=True):
    """What was sold and refunded in a period; money in one currency."""

    orders: int = 0
    items: int = 0
    gross: Hundredths = Hundredths(0)
    discounts: Hundredths = Hundredths(0)
    gift_cards: Hundredths = Hundredths(0)
    refunds: Hundredths = Hundredths(0)
    refunded_orders: int = 0
    completed_orders: int = 0
    new_customers: int = 0
    # In `net`, as it was reported.
    tax: Hundredths = Hundredths(0)

    @property
    def net(self) -> Hundredths:
        return Hundredths(self.gross - self.refunds)

    @property
    def net_of_tax(self) -> Hundredths:
        return Hundredths(self.net - self.tax)


class SalesBreakdown(msgspec.Struct, frozen=True):
    """A country, a payment method or a product in the sales; the key is empty if there is none."""

    key: str
    orders: int
    items: int
    gross: Hundredths


class TopCustomer(msgspec.Struct, frozen=True):
    id: int
    name: str
    email: str
    orders: int
    spent: Hundredths


class DateRange(msgspec.Struct, frozen=True):
    """Whole days of a time zone, both ends included."""

    first: date
    last: date
    zone: str

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def start(self) -> Instant:
        return midnight(self.first, self.zone)

    @property
    def end(self) -> Instant:
        return midnight(self.last + timedelta(days=1), self.zone)

    @property
    def previous(self) -> DateRange:
        """The same number of days, right before."""
        length = timedelta(days=self.days)
        return DateRange(self.first - length, self.last - length, self.zone)


class Bucket(msgspec.Struct, frozen=True):
    """The start of an interval: its name, the time, and the day since the epoch that starts then; None within a day."""

    name: str
    at: Instant
    day: int | None


# Zones are read from files; a store uses a handful.
@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo | None:
    """None if there is no such time zone."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def midnight(day: date, name: str) -> Instant:
    """When the day starts in the zone; if the clock is put forward at midnight, the time of that change."""
    zone_info = zone(name)
    assert zone_info is not None
    return instant(datetime(day.year, day.month, day.day, tzinfo=zone_info).astimezone(UTC))


def named(period: PeriodName, now: Instant, name: str) -> DateRange:
    today = utc(now).astimezone(zone(name)).date()
    if period == "yesterday":
        return DateRange(today - timedelta(days=1), today - timedelta(days=1), name)
    if period == "this_month":
        return DateRange(today.replace(day=1), today, name)
    if period == "last_month":
        last = today.replace(day=1) - timedelta(days=1)
        return DateRange(last.replace(day=1), last, name)
    if period == "this_year":
        return DateRange(today.replace(month=1, day=1), today, name)
    return DateRange(today - timedelta(days=_LAST_DAYS[period] - 1), today, name)


def interval_for(date_range: DateRange, asked: Interval | None) -> Interval:
    """The requested interval, if the range is not too long for it; otherwise the default for its length."""
    suiting: list[Interval] = [name for most, name in _DEFAULTS if date_range.days <= most]
    interval = asked or (suiting[0] if suiting else "month")
    if date_range.days > MAX_RANGE[interval]:
        raise invalid(
            "interval", f"The interval field must not be {interval} for more than {MAX_RANGE[interval]} days."
        )
    return interval


def buckets(date_range: DateRange, interval: Interval) -> list[Bucket]:
    """The start of each interval, then the end of the range."""
    end = _bucket(date_range.last + timedelta(days=1), date_range.zone)
    if interval == "hour":
        return [*(Bucket(iso(Instant(at)), Instant(at), None) for at in range(date_range.start, end.at, HOUR)), end]
    return [*(_bucket(day, date_range.zone) for day in _days(date_range, interval)), end]


def ends(date_range: DateRange) -> list[Bucket]:
    """The whole range as one bucket."""
    return [_bucket(date_range.first, date_range.zone), _bucket(date_range.last + timedelta(days=1), date_range.zone)]


def _bucket(day: date, zone_name: str) -> Bucket:
    return Bucket(day.isoformat(), midnight(day, zone_name), (day - _EPOCH).days)


def _days(date_range: DateRange, interval: Interval) -> Iterator[date]:
    day = date_range.first
    while day <= date_range.last:
        yield day
        if interval == "day":
            day += timedelta(days=1)
        elif interval == "week":
            day += timedelta(days=7 - day.weekday())
        else:
            day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def is_countable(first: date, last: date) -> bool:
    """Whether the days are far enough from the limits of the calendar for any zone and for the previous range."""
    return first.year >= FIRST_YEAR and last.year <= LAST_YEAR


FIRST_YEAR, LAST_YEAR = 1970, 9000


def months(now: Instant, timezone: str, count: int) -> list[tuple[date, Instant]]:
    """The first days of the last months, this one among them, and of the next, with when they begin in the zone."""
    today = utc(now).astimezone(zone(timezone)).date()
    last = today.year * 12 + today.month - 1
    days = [date(month // 12, month % 12 + 1, 1) for month in range(last - count + 1, last + 2)]
    return [(day, DateRange(day, day, timezone).start) for day in days]
