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
_AMOUNT = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,2})?")
_MIN_EXPONENT = -2
_MAX_WHOLE_DIGITS = 12


class NotMoney(ValueError):
    """The value is not a decimal number with at most two decimals in the range of money."""


def parse(value: int | Decimal | str) -> Hundredths:
    """Hundredths of an integer, a decimal or a decimal string; anything inexact is rejected."""
    if isinstance(value, str):
        if not _AMOUNT.fullmatch(value):
            raise NotMoney
        value = Decimal(value)
    sign, digits, exponent = Decimal(value).as_tuple()
    # Checked by its digits before any arithmetic: 1e999999999 is short to write and slow to compute.
    if not isinstance(exponent, int) or exponent < _MIN_EXPONENT or len(digits) + exponent > _MAX_WHOLE_DIGITS:
        raise NotMoney
    amount = int("".join(map(str, digits))) * 10 ** (exponent + 2)
    if amount > MAX_AMOUNT:
        raise NotMoney
    return Hundredths(-amount if sign else amount)


# A store has few different amounts.
@lru_cache(maxsize=4096)
def text(amount: Hundredths) -> str:
    """`12.50`: the public format of amounts."""
    if amount < 0:
        return "-" + text(Hundredths(-amount))
    return f"{amount // 100}.{amount % 100:02d}"


def decimal(amount: Hundredths) -> Decimal:
    return Decimal(amount) * _CENT
