"""The tables of countries and currencies are the CLDR's, as babel has them, without the parts that are neither."""

from __future__ import annotations

from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_precision, get_currency_symbol

from lootkeep.domain.codes import Currency, countries, currencies, three_letter_codes

# Parts of countries, groups of countries and placeholders, which the CLDR names too.
NO_COUNTRIES = {"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"}
# Without a country that uses them.
NO_COUNTRYS_CURRENCIES = {"SVC", "XAD"}
# The yuan outside of China has no code of ISO.
NO_CURRENCIES = {"CNH"}
# The symbol of the code for no currency.
NO_SYMBOL = "¤"


def test_the_countries_have_the_names_of_the_cldr() -> None:
    names = Locale("en").territories
    assert countries() == {code: name for code, name in names.items() if len(code) == 2 and code not in NO_COUNTRIES}


def test_every_country_has_its_codes_of_three_letters() -> None:
    aliases = {alias: code for alias, (code, *_) in get_global("territory_aliases").items() if code in countries()}
    assert three_letter_codes() == {
        alias: code for alias, code in aliases.items() if len(alias) == 3 and alias.isalpha()
    }
    assert set(three_letter_codes().values()) == set(countries())


def test_the_currencies_in_use_have_the_names_digits_and_symbols_of_the_cldr() -> None:
    rows = [row for rows in get_global("territory_currencies").values() for row in rows]
    used = {code for code, _, until, _ in rows if not until} - NO_CURRENCIES | NO_COUNTRYS_CURRENCIES
    names = Locale("en").currencies
    assert currencies() == {
        code: Currency(names.get(code, code), get_currency_precision(code), get_currency_symbol(code, "en_US"))
        for code in used
        if get_currency_symbol(code, "en_US") != NO_SYMBOL
    }
