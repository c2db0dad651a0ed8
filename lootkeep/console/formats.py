"""How the console writes amounts, times and shares: in the store's currency and zone."""

from __future__ import annotations

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
        return f"{self.local(at):%-d %b %Y}"

    def short_day(self, at: Instant) -> str:
        """`15 Nov`."""
        return f"{self.local(at):%-d %b}"

    def long_day(self, at: Instant) -> str:
        """`Sunday 15 November`."""
        return f"{self.local(at):%A %-d %B}"

    def time(self, at: Instant) -> str:
        """`15 Nov 2026, 14:02`."""
        return f"{self.local(at):%-d %b %Y, %H:%M}"

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
        exact = f"{self.local(at):%-d %b %Y, %H:%M:%S %Z}"
        return Markup(f'<time datetime="{iso(at)}" title="{exact}">{text}</time>')  # noqa: S704


def pretty(text: str) -> str:
    """JSON, indented for people."""
    return msgspec.json.format(text.encode(), indent=2).decode()


def number(count: int) -> str:
    """`1,322`."""
    return f"{count:,}"


def percent(part: float, whole: float) -> str:
    """`18.6 %`; nothing of nothing is a dash."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def change(now: float, before: float) -> str:
    """`+12.4 %`; without anything before there is nothing to compare with."""
    return f"{100 * (now - before) / before:+.1f} %".replace("-", "−") if before else ""
