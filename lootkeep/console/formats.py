"""How the console writes times: with the exact one for those who ask."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.kernel.wording import duration
from lootkeep.views.formats import StoreFormats, day_of

_WEEK = 7 * DAY


class Formats(StoreFormats):
    """The filters of the templates."""

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
