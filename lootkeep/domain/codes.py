"""The codes of countries and currencies, with English names: ISO's, as the CLDR has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from lootkeep.domain.code_tables import COUNTRIES, CURRENCIES, SYMBOLS
from lootkeep.kernel.errors import InvalidFields
from lootkeep.kernel.money import Hundredths


class Currency(NamedTuple):
    name: str
    # After the point, as people write amounts.
    digits: int
    symbol: str


@cache
def countries() -> Mapping[str, str]:
    """The name of each country by its code of two letters."""
    return {code: name for code, _, name in _rows(COUNTRIES)}


@cache
def three_letter_codes() -> Mapping[str, str]:
    """The code of two letters by each of three."""
    return {long: code for code, longs, _ in _rows(COUNTRIES) for long in longs.split(",")}


def country_code(text: str) -> str:
    """Of a code or an English name; raises ValueError for anything else."""
    name = text.strip().casefold()
    codes = {it.casefold(): code for code, it in countries().items()}
    if name.upper() not in countries() and name not in codes:
        raise ValueError
    return codes.get(name, name.upper())


@cache
def currencies() -> Mapping[str, Currency]:
    """Those in use today, by their codes."""
    return {code: Currency(name, int(digits), SYMBOLS.get(code, code)) for code, digits, name in _rows(CURRENCIES)}


def rounded_share(amount: int, part: int, whole: int, currency: str) -> Hundredths:
    """The part of an amount, halves rounded up; in a currency without decimals, such as the yen, a whole amount."""
    form = currencies().get(currency)
    unit = 100 if form and not form.digits else 1
    return Hundredths((2 * amount * part + whole * unit) // (2 * whole * unit) * unit)


def fractions(currency: str, **amounts: int | None) -> dict[str, list[str]]:
    """The errors of amounts with a fraction, in a currency that has none: nobody could pay them."""
    form = currencies().get(currency)
    if form is None or form.digits:
        return {}
    return {
        name: [f"The {name.replace('_', ' ')} field must be a whole amount: {currency} has no decimals."]
        for name, amount in amounts.items()
        if amount and amount % 100
    }


def require_whole(currency: str, **amounts: int | None) -> None:
    if refused := fractions(currency, **amounts):
        raise InvalidFields(refused)


def _rows(table: str) -> list[list[str]]:
    return [row.split(" ", 2) for line in table.strip().split("\n") for row in line.split(" | ")]
