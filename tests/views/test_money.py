"""Amounts are written as babel writes them for the United States, in every currency."""

from __future__ import annotations

from babel.numbers import format_compact_currency, format_currency

from lootkeep.domain.codes import currencies
from lootkeep.kernel import money
from lootkeep.kernel.money import Hundredths
from lootkeep.views.money import in_short, in_words

# Around halves, which are rounded to even digits, and around each thousand.
SMALL = (0, 1, 49, 50, 51, 150, 250, 1005, 1999)
LARGE = tuple(100 * 1000**power + change for power in range(1, 7) for change in (-51, -50, -1, 0, 1, 500, 12_345))
AMOUNTS = [Hundredths(sign * amount) for amount in (*SMALL, *LARGE) for sign in (1, -1)]
# Of a coupon of every currency, and of an order of the past.
OTHERS = ("", "HRK")


def test_amounts_have_the_form_of_their_currency() -> None:
    for currency in (*currencies(), *OTHERS):
        for amount in AMOUNTS:
            assert in_words(amount, currency) == format_currency(money.decimal(amount), currency, locale="en_US")


def test_short_amounts_have_two_digits_and_a_letter() -> None:
    for currency in ("USD", "JPY", "KWD", *OTHERS):
        for amount in AMOUNTS:
            babels = format_compact_currency(money.decimal(amount), currency, fraction_digits=2, locale="en_US")
            assert in_short(amount, currency) == babels
