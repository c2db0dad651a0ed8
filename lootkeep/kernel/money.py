"""Money as whole hundredths, parsed and printed without floats."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import NewType

Hundredths = NewType("Hundredths", int)

# Far above any price, far below the limit of a 64-bit column even if a million of them are summed.
MAX_AMOUNT = Hundredths(99_999_999_999)

_CENT = Decimal("0.01")
_AMOUNT = re.compile(r"-?[0-9]{1,100}(\.[0-9]{1,2})?")
_MIN_EXPONENT = -2
_MAX_WHOLE_DIGITS = 12
_MAX_DIGITS = 100


class NotMoney(ValueError):
    """The value is not a decimal number with at most two decimals in the range of money."""


class TooMuch(NotMoney):
    """The value is a number above `MAX_AMOUNT`."""


def parse(value: int | Decimal | str) -> Hundredths:
    """Hundredths of an integer, a decimal or a decimal string; anything inexact is rejected."""
    if isinstance(value, str) and not _AMOUNT.fullmatch(value):
        raise NotMoney
    sign, digits, exponent = Decimal(value).as_tuple()
    if not isinstance(exponent, int) or len(digits) > _MAX_DIGITS:
        raise NotMoney
    # Numbers of a fixed scale, such as 10.0000, end with zeros.
    while exponent < _MIN_EXPONENT and digits and not digits[-1]:
        digits, exponent = digits[:-1], exponent + 1
    if not any(digits):
        return Hundredths(0)
    if exponent < _MIN_EXPONENT:
        raise NotMoney
    # Checked by its digits before any arithmetic: 1e999999999 is short to write and slow to compute.
    is_long = len(digits) + exponent > _MAX_WHOLE_DIGITS
    amount = MAX_AMOUNT + 1 if is_long else int("".join(map(str, digits))) * 10 ** (exponent + 2)
    if amount > MAX_AMOUNT:
        raise NotMoney if sign else TooMuch
    return Hundredths(-amount if sign else amount)


# A store has few different amounts.
@lru_cache(maxsize=4096)
def text(amount: Hundredths) -> str:
    """`12.50`: the public format of amounts."""
    if amount < 0:
        return "-" + text(Hundredths(-amount))
    return f"{amount // 100}.{amount % 100:02d}"


def average(amount: int, count: int) -> Hundredths:
    """What one of them is on average, halves rounded up; 0 if there are none."""
    return Hundredths((2 * amount + count) // (2 * count) if count else 0)


def decimal(amount: Hundredths) -> Decimal:
    return Decimal(amount) * _CENT
