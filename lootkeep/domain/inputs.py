"""User input in its canonical stored form; ValueError if it is invalid."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache

from lootkeep.domain.analytics import midnight, zone
from lootkeep.domain.codes import countries
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, in_zone, instant
from lootkeep.kernel.money import Hundredths

# Most e-mail addresses look like this and need no full validation, which takes 50 times as long.
_PLAIN_EMAIL = re.compile(r"[a-z0-9_]+([.+-][a-z0-9_]+)*@([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}")
_MAX_PLAIN_EMAIL = 63
# Python refuses to parse thousands of digits; the database stores 64 bits.
RECORD_ID = "[0-9]{1,19}"
_MAX_INTEGER = 2**63 - 1
# A parameter of a path that is not an id.
PATH_WORD = "[A-Za-z0-9_-]{1,64}"
_INTEGER = re.compile(f"-?{RECORD_ID}")


def email(text: str) -> str:
    if len(text) <= _MAX_PLAIN_EMAIL and text.isascii():
        lowered = text.lower()
        if _PLAIN_EMAIL.fullmatch(lowered) and not lowered.endswith(_reserved_domains()):
            return lowered
    from email_validator import EmailNotValidError, validate_email

    try:
        checked = validate_email(text, check_deliverability=False, allow_quoted_local=False)
    except EmailNotValidError:
        raise ValueError("not an e-mail address") from None
    return checked.normalized.lower()


@cache
def _reserved_domains() -> tuple[str, ...]:
    # Loaded with the first address: it takes a twentieth of the start.
    from email_validator import SPECIAL_USE_DOMAIN_NAMES

    return tuple(f".{domain}" for domain in SPECIAL_USE_DOMAIN_NAMES)


def country(text: str) -> str:
    code = text.upper()
    # Capitals of other letters are codes too: of `ß`, for one, South Sudan's.
    if not text.isascii() or code not in countries():
        raise ValueError("not a country code")
    return code


def short_text(text: str, most: int) -> str:
    if len(text) > most:
        raise ValueError(f"This must not be longer than {most:,} characters.")
    return text


def amount(text: str, least: int, most: int) -> Hundredths:
    try:
        value = money.parse(text)
    except money.NotMoney:
        value = Hundredths(least - 1)
    if not least <= value <= most:
        limits = f"{money.text(Hundredths(least))} to {money.text(Hundredths(most))}"
        raise ValueError(f"This must be an amount of {limits}, such as 12.50.")
    return value


def integer(text: str) -> int | None:
    """The integer in a text from outside; None for anything else. No other place reads one."""
    number = int(text) if _INTEGER.fullmatch(text) else None
    return None if number is None or abs(number) > _MAX_INTEGER else number


def record_id(text: str) -> int:
    number = integer(text)
    if number is None:
        raise ValueError("not an id")
    return number


def record_ids(text: str) -> str:
    """Ids separated by commas, as the JSON array that lists filter by."""
    return f"[{','.join(str(record_id(word)) for word in text.split(','))}]"


def whole(text: str, least: int, most: int) -> int:
    value = integer(text)
    if value is None or not least <= value <= most:
        raise ValueError(f"This must be a whole number of {least:,} to {most:,}.")
    return value


def words(text: str, most: int, max_length: int) -> list[str]:
    """Distinct words, separated by commas."""
    distinct = list(dict.fromkeys(word.strip() for word in text.replace("\n", ",").split(",") if word.strip()))
    if len(distinct) > most or any(len(word) > max_length for word in distinct):
        raise ValueError(f"There may be up to {most:,} words of up to {max_length} characters.")
    return distinct


def calendar_day(text: str) -> date:
    """A day of a calendar that has a day before and after it, in any zone. No other place reads one."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.max
    if day.year in (date.min.year, date.max.year):
        raise ValueError("This must be a day, such as 2026-11-15.")
    return day


def day(text: str, timezone: str, *, is_included: bool = False) -> Instant:
    """When the day starts in the zone; when it ends, for an inclusive last day."""
    return midnight(calendar_day(text) + timedelta(days=is_included), timezone)


def last_day(end: Instant, timezone: str) -> date:
    """The day in the zone that ends then, or that an end within it is on."""
    return in_zone(Instant(end - 1), zone(timezone)).date()


def time(text: str, timezone: str) -> Instant:
    """A time in the zone."""
    try:
        return instant(datetime.fromisoformat(text).replace(tzinfo=zone(timezone)).astimezone(UTC))
    except (ValueError, OverflowError):
        raise ValueError("Enter a date and a time, such as 2026-11-15 14:00.") from None
