"""How statuses, amounts and times are written: the store's currency and zone, the exact time for those who ask."""

from __future__ import annotations

import re
from calendar import month_abbr
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any, get_args

import msgspec
from markupsafe import Markup, escape

from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.analytics import zone
from lootkeep.domain.codes import countries
from lootkeep.domain.fraud.review import detected_signals
from lootkeep.kernel.clock import DAY, HOUR, SECOND, Instant, in_zone, instant, iso
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.wording import duration
from lootkeep.views.money import in_short, in_words, percent

_WEEK = 7 * DAY
# Fields of the audit log that are times, and those that are lists as JSON, by how their names end.
_TIMES = ("_at", "_until")
_JSON_LISTS = ("_ids", "tags", "categories", "_types", "triggers")
_MILLION, _BILLION = 100 * 10**6, 100 * 10**9
# Bytes of one text on a page, so that no page is large.
MAX_SHOWN = 24_000
# Looked up in a tuple: the calendar formats a date for each.
_MONTHS = tuple(month_abbr)
# What people read for a status, where it is not its name.
LABELS = {
    "on_hold": "Held",
    "partially_refunded": "Partly refunded",
    "verification_required": "Held",
    "read_only": "Read-only",
    "one_time": "Paid once",
    "signup": "Someone signs up",
    "first_purchase": "They pay for a first order",
    "percentage_discount": "Percent off",
    "fixed_discount": "Amount off",
    "percentage": "Percent off",
    "fixed": "Amount off",
    # What a fraud list is of, and where an alert goes.
    "email": "E-mail",
    "ip": "IP address",
    # Methods of payment that are not written as their name is.
    "paypal": "PayPal",
    "apple_pay": "Apple Pay",
    "google_pay": "Google Pay",
    "ideal": "iDEAL",
    "sepa_debit": "SEPA debit",
    "crypto": "Cryptocurrency",
}
# What a browser and a system call themselves. Most also call themselves one of those that follow.
_BROWSERS = {"Edg": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "AppleWebKit": "Safari"}
_SYSTEMS = {"Android": "Android", "iPhone": "iOS", "iPad": "iOS", "Windows": "Windows", "Mac OS": "macOS"}
_SYSTEMS |= {"Linux": "Linux"}
# Of a status: ok, warn, bad, info or quiet.
TONES = {
    **dict.fromkeys(
        ("paid", "delivered", "active", "allowed", "legitimate", "successful", "resolved", "sent", "applied", "done"),
        "ok",
    ),
    **dict.fromkeys(
        (
            "on_hold",
            "medium",
            "flagged",
            "verification_required",
            "high",
            "scheduled",
            "low_stock",
            "unmatched",
            "refused",
        ),
        "warn",
    ),
    **dict.fromkeys(("critical", "blocked", "failed", "fraud", "urgent", "revoked", "out_of_stock", "failing"), "bad"),
    **dict.fromkeys(("completed", "open", "sending", "waiting"), "info"),
}


def day_of(local: date) -> str:
    """Not by `strftime`, which takes more than twice as long: a page has a hundred of these."""
    return f"{local.day} {_MONTHS[local.month]} {local.year}"


class Formats:
    """The filters of the templates, for one zone and currency."""

    def __init__(self, timezone: str, currency: str) -> None:
        self._zone = zone(timezone)
        self._currency = currency
        # A page has a hundred of each, and is shown again with the same ones.
        self.money = lru_cache(maxsize=4096)(self._money)
        self._exact = lru_cache(maxsize=4096)(self._exact_time)

    def _money(self, amount: int, currency: str | None = None) -> str:
        """`$1,884.20`; less than nothing has a minus sign in front."""
        if amount < 0:
            return "−" + self._money(-amount, currency)
        return in_words(Hundredths(amount), currency or self._currency)

    def whole_money(self, amount: int) -> str:
        """`$1,884`, and from a billion on `$1.23B`: for figures that are read at a glance."""
        if amount >= _BILLION:
            return in_short(Hundredths(amount), self._currency)
        return str(self.money(round(amount / 100) * 100)).removesuffix(".00")

    def tick(self, amount: int) -> str:
        """`$900`, and from a million on `$1.2M`: for an axis, next to which a phone has little room."""
        return in_short(Hundredths(amount), self._currency) if amount >= _MILLION else self.whole_money(amount)

    def local(self, at: Instant) -> datetime:
        return in_zone(at, self._zone)

    def day(self, at: Instant) -> str:
        """`15 Nov 2026`."""
        return day_of(self.local(at))

    def last_day(self, end: Instant) -> str:
        """`15 Nov 2026`, of what ends with that day."""
        return day_of(inputs_rules.last_day(end, self.zone))

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

    @property
    def zone(self) -> str:
        return str(self._zone)

    def stamp(self, at: Instant) -> str:
        """`2026-11-15 14:02:11`, which spreadsheets read."""
        return f"{self.local(at):%Y-%m-%d %H:%M:%S}"

    def logged(self, value: Any, name: str, people: Mapping[str, str] = {}) -> str:
        """A value of the audit log in words: times, which it holds in UTC, in the store's zone; people by their ids."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if value in (None, "", "[]"):
            return "none"
        # A fraud list, whose name is the field, may be named like one of these.
        with suppress(ValueError):
            if isinstance(value, str) and name.replace(" ", "_").endswith(_TIMES):
                return self.time(instant(datetime.fromisoformat(value)))
            if name.endswith(_JSON_LISTS) and isinstance(value, str) and value.startswith("["):
                value = msgspec.json.decode(value)
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return people.get(str(value), str(value)) if name == "assigned_to_id" else str(value)

    def clock(self, at: Instant) -> Markup:
        """`14:02:11`, with the whole time for those who ask."""
        return self._timed(at, f"{self.local(at):%H:%M:%S}")

    def ago(self, at: Instant | None, now: Instant) -> Markup:
        """`2 min ago`, `3 h ago`, `5 d ago`, then the day; with the exact time for those who ask."""
        if at is None:
            return Markup("never")
        age = now - at
        whole_hours = age - age % HOUR
        return self._timed(at, self.day(at) if age >= _WEEK else f"{duration(whole_hours or age)} ago")

    def _timed(self, at: Instant, text: str) -> Markup:
        # Nothing here comes from people, so nothing is escaped.
        return Markup(f"<time {self._exact(Instant(at - at % SECOND))}>{text}</time>")  # noqa: S704

    def _exact_time(self, second: Instant) -> str:
        local = self.local(second)
        exact = f"{day_of(local)}, {local.hour:02}:{local.minute:02}:{local.second:02} {local.tzname()}"
        return f'datetime="{iso(second)}" title="{exact}"'


def long(text: str, name: str, most: int = MAX_SHOWN) -> Markup:
    """A text; of one that is too long for a page its beginning, and a link to the whole under this name."""
    escaped = escape(text)
    if len(escaped.encode()) <= most:
        return escaped
    link = Markup('{}… <a href="?whole={}" download>The whole text</a>')
    # A character takes five bytes at most, escaped.
    return link.format(text[: most // 5], name)


def pretty(text: str) -> str:
    """JSON, indented for people."""
    return msgspec.json.format(text.encode(), indent=2).decode()


# Fields whose names say too little.
_FIELDS = {
    "smtp_url": "mail server",
    "mail_from": "sender of e-mails",
    "public_url": "public URL",
    "timezone": "time zone",
    "events_kept_days": "days that events are kept",
    "mails_kept_days": "days that e-mails are kept",
}


def field_name(name: str) -> str:
    """`assigned to`, of a field of the audit log."""
    return _FIELDS.get(name) or name.removeprefix("is_").removesuffix("_id").replace("_", " ")


def label(status: str) -> str:
    return LABELS.get(status) or status.replace("_", " ").capitalize()


def browser(agent: str) -> str:
    """`Chrome on Windows`; of a program what it calls itself."""
    name = next((name for mark, name in _BROWSERS.items() if mark in agent), None)
    system = next((name for mark, name in _SYSTEMS.items() if mark in agent), None)
    return f"{name} on {system}" if name and system else agent


def rate(value: Hundredths) -> str:
    """`12.5 %`, of what is stored as 1250."""
    return f"{percent(value)} %"


def country(code: str | None) -> str:
    """By its name; a code that is no country's stays as it is."""
    return countries().get(code, code) if code else ""


@cache
def _country_options() -> Markup:
    named = sorted(countries().items(), key=lambda pair: pair[1])
    return Markup("").join(Markup('<option value="{}">{}</option>').format(*pair) for pair in named)


def country_options(chosen: str = "") -> Markup:
    """Every country by its name, as the options of a menu."""
    mark = Markup('value="{}"').format(chosen)
    return _country_options().replace(mark, mark + Markup(" selected"))


def options(statuses: Any) -> dict[str, str]:
    """The values of a Literal type, each with what people read."""
    return {name: label(name) for name in get_args(statuses)}


@lru_cache(maxsize=1024)
def badge(status: str, text: str | None = None, tone: str | None = None) -> Markup:
    """A word in the tone of its status; `text` overrides the status's own label."""
    css_class = tone or TONES.get(status, "quiet")
    return Markup('<span class="badge {}">{}</span>').format(css_class, text or label(status))


def risk(check: Any) -> Markup:
    """The level and the score of a check, if there is one."""
    if check is None:
        return Markup('<span class="muted none">–</span>')
    return badge(check.risk_level, f"{label(check.risk_level)} {check.risk_score}")


def reasons(points: Mapping[str, int], most: int = 2) -> str:
    """The heaviest reasons of a score."""
    return " · ".join(detected_signals(points)[:most])


# Of HTML: a tag, or a letter that is written as an entity.
_NOT_TEXT = re.compile(r"(<[^>]*>|&[#\w]+;)")


def marked(text: str, term: str) -> Markup:
    """With the typed term marked, wherever the text has it."""
    parts = _NOT_TEXT.split(str(escape(text)))
    if term:
        wanted = re.compile(re.escape(str(escape(term))), re.IGNORECASE)
        parts[::2] = [wanted.sub(lambda match: f"<mark>{match[0]}</mark>", part) for part in parts[::2]]
    return Markup("".join(parts))  # noqa: S704  escaped above
