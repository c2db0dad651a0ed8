"""The formats of the cells of a past order, in the dialect of all files."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from lootkeep.domain import identity as identity_rules, players as players_rules
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import MAX_AMOUNT, Hundredths
from lootkeep.toolbox.files.dialect import BOOLEANS, Dialect

_LABELS = BOOLEANS | {"fraud": True} | dict.fromkeys(("legit", "legitimate", ""), False)


class CellRule(NamedTuple):
    """How a cell is parsed (it raises ValueError or KeyError), and its required format."""

    read: Callable[[Dialect, str], Any]
    words: str


def amount(dialect: Dialect, text: str) -> Hundredths:
    try:
        hundredths = round(Decimal(dialect.number(text)) * 100)
    except (InvalidOperation, OverflowError):
        raise ValueError from None
    if abs(hundredths) > MAX_AMOUNT:
        raise ValueError
    return Hundredths(hundredths)


def _times(dialect: Dialect, text: str) -> tuple[Instant, ...]:
    return tuple(dialect.time(part.strip()) for part in text.split(";") if part.strip())


def _is_fraud(dialect: Dialect, text: str) -> bool:
    return _LABELS[text.lower()]


def _device(dialect: Dialect, text: str) -> str:
    return identity_rules.device(text)


def _player(dialect: Dialect, text: str) -> str:
    return players_rules.trace_of(text)


_TIME = CellRule(Dialect.time, "must be a time such as 2026-11-15T10:30:00Z, or Unix seconds")
_IP = CellRule(Dialect.ip_address, "must be an IP address")
_DEVICE = CellRule(_device, "must be a text")
_COUNTRY = CellRule(Dialect.country, "must be a country code such as DE, or a name")

RULES: dict[str, CellRule] = {
    "created_at": _TIME,
    "customer_created_at": _TIME,
    "disputed_at": _TIME,
    "declined_at": CellRule(_times, "must be times such as 2026-11-15T10:30:00Z, separated by semicolons"),
    "ip_address": _IP,
    "signup_ip_address": _IP,
    "signup_device_id": _DEVICE,
    "device_id": _DEVICE,
    "billing_country": _COUNTRY,
    "payment_country": _COUNTRY,
    "player": CellRule(_player, "must be a game and an id, such as steam:76561198000000000"),
    "total": CellRule(amount, "must be an amount such as 19.99"),
}
LABEL_RULE = CellRule(_is_fraud, "must be 1, true, yes or fraud, or 0, false, no, legit, legitimate or empty")
