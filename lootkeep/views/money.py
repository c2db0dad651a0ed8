"""Amounts for people, and numbers for JSON."""

from __future__ import annotations

from functools import lru_cache

from babel.numbers import format_compact_currency, format_currency

from lootkeep.kernel import money
from lootkeep.kernel.money import Hundredths


# Formatting by locale rules takes 30 us; a store has a handful of amounts.
@lru_cache(maxsize=4096)
def in_words(amount: Hundredths, currency: str) -> str:
    """`$5.00`, `¥500`: the amount in the currency's own form."""
    return format_currency(money.decimal(amount), currency, locale="en_US")


def in_short(amount: Hundredths, currency: str) -> str:
    """`$6.53T`: an amount that is read at a glance."""
    return format_compact_currency(money.decimal(amount), currency, fraction_digits=2, locale="en_US")


def number(amount: Hundredths) -> int | float:
    """A plain JSON number: 10, 12.5. Two decimals of this size are exact enough in a float to print back the same."""
    return amount // 100 if amount % 100 == 0 else amount / 100


@lru_cache(maxsize=4096)
def percent(amount: Hundredths) -> str:
    """`12.5`: a percentage without useless zeros."""
    return money.text(amount).rstrip("0").rstrip(".")
