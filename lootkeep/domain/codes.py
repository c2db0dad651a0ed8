"""The codes of countries and currencies, with English names: ISO's, as the CLDR has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

# Parts of countries, groups of countries and placeholders, which the CLDR names too.
_NO_COUNTRIES = frozenset(["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"])
# Without a country that uses them.
_NO_COUNTRYS_CURRENCIES = frozenset({"SVC", "XAD"})
# The yuan outside of China has no code of ISO.
_NO_CURRENCIES = frozenset({"CNH"})


@cache
def countries() -> Mapping[str, str]:
    """The name of each country by its code of two letters."""
    # Loaded when it is needed: not every process does.
    from babel import Locale

    names = Locale("en").territories
    return {code: name for code, name in names.items() if len(code) == 2 and code not in _NO_COUNTRIES}


def country_code(text: str) -> str:
    """Of a code or an English name; raises ValueError for anything else."""
    name = text.strip().casefold()
    codes = {it.casefold(): code for code, it in countries().items()}
    if name.upper() not in countries() and name not in codes:
        raise ValueError
    return codes.get(name, name.upper())


def currency_names() -> Mapping[str, str]:
    """The name of each currency in use by its code."""
    from babel import Locale

    names = Locale("en").currencies
    return {code: names.get(code, code) for code in currencies()}


@cache
def currencies() -> frozenset[str]:
    """Those in use today."""
    from babel.core import get_global

    used = {code for rows in get_global("territory_currencies").values() for code, _, until, _ in rows if not until}
    return frozenset(used - _NO_CURRENCIES | _NO_COUNTRYS_CURRENCIES)
