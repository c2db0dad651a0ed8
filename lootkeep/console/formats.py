"""How amounts and times are written: in the store's currency and zone, with the exact time for those who ask."""

from __future__ import annotations

from calendar import month_abbr
from datetime import datetime
from functools import lru_cache

import msgspec
from markupsafe import Markup

from lootkeep.domain.analytics import zone
from lootkeep.kernel.clock import DAY, Instant, iso, utc
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.wording import duration
from lootkeep.views.money import in_words

_WEEK = 7 * DAY
# Looked up in a tuple: the calendar formats a date for each.
_MONTHS = tuple(month_abbr)


def day_of(local: datetime) -> str:
    """Not by `strftime`, which takes more than twice as long: a page has a hundred of these."""
    return f"{local.day} {_MONTHS[local.month]} {local.year}"


class Formats:
    """The filters of the templates, for one zone and currency."""

    def __init__(self, timezone: str, currency: str) -> None:
        self._zone = zone(timezone)
        self._currency = currency
        self.money = lru_cache(maxsize=4096)(self._money)

    def _money(self, amount: int, currency: str | None = None) -> str:
        """`$1,884.20`; less than nothing has a minus sign in front."""
        if amount < 0:
            return "−" + self._money(-amount, currency)
        return in_words(Hundredths(amount), currency or self._currency)

    def whole_money(self, amount: int) -> str:
        """`$1,884`: for figures that are read at a glance."""
        text = str(self.money(round(amount / 100) * 100))
        return text[:-3] if text.endswith((".00", ",00")) else text

    def local(self, at: Instant) -> datetime:
        return utc(at).astimezone(self._zone)

    def day(self, at: Instant) -> str:
        """`15 Nov 2026`."""
        return day_of(self.local(at))

    def short_day(self, at: Instant) -> str:
        """`15 Nov`."""
        return f"{self.local(at):%-d %b}"

    def long_day(self, at: Instant) -> str:
        """`Sunday 15 November`."""
        return f"{self.local(at):%A %-d %B}"

    def time(self, at: Instant) -> str:
        """`15 Nov 2026, 14:02`."""
        local = self.local(at)
        return f"{day_of(local)}, {local.hour:02}:{local.minute:02}"

    def clock(self, at: Instant) -> Markup:
        """`14:02:11`, with the whole time for those who ask."""
        return self._timed(at, f"{self.local(at):%H:%M:%S}")

    def ago(self, at: Instant | None, now: Instant) -> Markup:
        """`2 min`, `3 h`, `5 d`, then the day; with the exact time for those who ask."""
        if at is None:
            return Markup("never")
        return self._timed(at, self.day(at) if now - at >= _WEEK else duration(now - at))

    def _timed(self, at: Instant, text: str) -> Markup:
        # Nothing here comes from people, so nothing is escaped: a list has a hundred of these.
        local = self.local(at)
        exact = f"{day_of(local)}, {local.hour:02}:{local.minute:02}:{local.second:02} {local.tzname()}"
        return Markup(f'<time datetime="{iso(at)}" title="{exact}">{text}</time>')  # noqa: S704


def pretty(text: str) -> str:
    """JSON, indented for people."""
    return msgspec.json.format(text.encode(), indent=2).decode()
