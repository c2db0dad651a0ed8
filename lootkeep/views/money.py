"""Amounts for people, and numbers for JSON."""

from __future__ import annotations

from functools import lru_cache

from lootkeep.domain.codes import Currency, currencies
from lootkeep.kernel import money
from lootkeep.kernel.money import Hundredths

# From thousands on, an amount in short has a letter and a smaller number.
_LETTERS = ("", "K", "M", "B", "T")


# A store has a handful of amounts.
@lru_cache(maxsize=4096)
def in_words(amount: Hundredths, currency: str) -> str:
    """`$5.00`, `¥500`: the amount in the currency's own form."""
    form = _currency(currency)
    return f"{_start(amount, form)}{abs(money.decimal(amount)):,.{form.digits}f}"


def in_short(amount: Hundredths, currency: str) -> str:
    """`$6.53T`: an amount that is read at a glance."""
    whole = abs(amount) // 100
    thousands = min((len(str(whole)) - 1) // 3, len(_LETTERS) - 1)
    number = f"{abs(money.decimal(amount)) / 1000**thousands:.2f}".rstrip("0").rstrip(".")
    return f"{_start(amount, _currency(currency))}{number}{_LETTERS[thousands]}"


def number(amount: Hundredths) -> int | float:
    """A plain JSON number: 10, 12.5. Two decimals of this size are exact enough in a float to print back the same."""
    return amount // 100 if amount % 100 == 0 else amount / 100


@lru_cache(maxsize=4096)
def percent(amount: Hundredths) -> str:
    """`12.5`: a percentage without useless zeros."""
    return money.text(amount).rstrip("0").rstrip(".")


def _currency(code: str) -> Currency:
    """Orders of the past may have one that is out of use."""
    return currencies().get(code) or Currency(code, 2, code)


def _start(amount: Hundredths, currency: Currency) -> str:
    return f"-{currency.symbol}" if amount < 0 else currency.symbol
