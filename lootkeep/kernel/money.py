"""Money as whole hundredths, parsed and printed without floats."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import NewType

Hundredths = NewType("Hundredths", int)

# Far above any price, far below what a 64-bit column holds even when a million of them are summed.
LARGEST = Hundredths(99_999_999_999)

_CENT = Decimal("0.01")
# A longer text cannot be an amount in range; refusing it early keeps huge exponents away from the arithmetic.
_LONGEST_TEXT = 24


class NotMoney(ValueError):
    """The value is no decimal number with at most two places in the range of money."""


def parse(value: int | Decimal | str) -> Hundredths:
    """Hundredths of an integer, a decimal or a decimal string; anything inexact is refused."""
    amount = _decimal(value)
    if not amount.is_finite() or abs(amount) > LARGEST:
        raise NotMoney
    scaled = amount.scaleb(2)
    if scaled != scaled.to_integral_value() or abs(scaled) > LARGEST:
        raise NotMoney
    return Hundredths(int(scaled))


def text(amount: Hundredths) -> str:
    """`12.50`: how amounts leave the service."""
    sign = "-" if amount < 0 else ""
    whole, cents = divmod(abs(amount), 100)
    return f"{sign}{whole}.{cents:02d}"


def decimal(amount: Hundredths) -> Decimal:
    return Decimal(amount) * _CENT


def _decimal(value: int | Decimal | str) -> Decimal:
    if isinstance(value, str):
        plain = value.removeprefix("-")
        if len(value) > _LONGEST_TEXT or not plain.isascii() or not plain.replace(".", "", 1).isdigit():
            raise NotMoney
    try:
        return Decimal(value)
    except InvalidOperation as error:
        raise NotMoney from error
