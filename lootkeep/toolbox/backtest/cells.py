"""What the cells of a past order may look like: exports of shops and public data write the same thing differently."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import iso3166

from lootkeep.domain import identity
from lootkeep.kernel.clock import SECOND, Instant, instant
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths

# Nine digits at least: eight are a date without hyphens.
_UNIX_SECONDS = re.compile(r"[0-9]{9,11}(\.[0-9]+)?")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE]\+?[0-9]{1,2})?")
_MAX_IPV4 = 2**32 - 1
_LABELS = {"1": True, "true": True, "fraud": True} | dict.fromkeys(("0", "false", "legit", "legitimate", ""), False)
_COUNTRIES = {
    name.upper(): country.alpha2
    for country in iso3166.countries
    for name in (country.alpha2, country.alpha3, country.name)
} | {"UK": "GB"}  # as everyone writes it


class CellRule(NamedTuple):
    """How a cell is read (it raises ValueError or KeyError), and what it must be."""

    read: Callable[[str], Any]
    words: str


def time(text: str) -> Instant:
    """ISO 8601, with a blank for the T if need be; without an offset it is UTC. Or Unix seconds."""
    if _UNIX_SECONDS.fullmatch(text):
        return Instant(int(Decimal(text) * SECOND))
    moment = datetime.fromisoformat(text)
    return instant(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def ip_address(text: str) -> str:
    """An address in its usual form, or an IPv4 address written as one number, which may have decimals."""
    if not _NUMBER.fullmatch(text):
        return identity.address(text)
    number = int(Decimal(text))
    if number > _MAX_IPV4:
        raise ValueError
    return str(ipaddress.IPv4Address(number))


def country(text: str) -> str:
    return _COUNTRIES[text.upper()]


def amount(text: str) -> Hundredths:
    try:
        hundredths = round(Decimal(text) * 100)
    except (InvalidOperation, OverflowError):
        raise ValueError from None
    if abs(hundredths) > MAX_AMOUNT:
        raise ValueError
    return Hundredths(hundredths)


def times(text: str) -> tuple[Instant, ...]:
    return tuple(time(part.strip()) for part in text.split(";") if part.strip())


def is_fraud(text: str) -> bool:
    return _LABELS[text.lower()]


_TIME = CellRule(time, "must be a time such as 2026-11-15T10:30:00Z, or Unix seconds")

RULES: dict[str, CellRule] = {
    "created_at": _TIME,
    "customer_created_at": _TIME,
    "disputed_at": _TIME,
    "declined_at": CellRule(times, "must be times such as 2026-11-15T10:30:00Z, separated by semicolons"),
    "ip_address": CellRule(ip_address, "must be an IP address"),
    "signup_ip_address": CellRule(ip_address, "must be an IP address"),
    "signup_device_id": CellRule(identity.device, "must be a text"),
    "device_id": CellRule(identity.device, "must be a text"),
    "billing_country": CellRule(country, "must be a country code such as DE"),
    "payment_country": CellRule(country, "must be a country code such as DE"),
    "total": CellRule(amount, "must be an amount such as 19.99"),
}
LABEL_RULE = CellRule(is_fraud, "must be 1, true or fraud, or else 0, false, legit, legitimate or nothing")
