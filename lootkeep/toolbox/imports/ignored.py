"""What an import of a file would ignore, detected before anything is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import NamedTuple

from lootkeep.toolbox.files.dialect import Dialect
from lootkeep.toolbox.files.reading import BadRow, RowFile
from lootkeep.toolbox.imports.refused import REASON

# A column with one of these in its name, and a number other than 0 in a cell, contains money.
_MONEY = re.compile(
    r"amount|balance|cost|discount|gross|price|refund|revenue|shipping(?![ _](phone|postcode|zip))|total"
    r"|(?<![a-z])(dut(y|ies)|fees?|net|paid|tax(es)?|tips?|vat)(?![a-z])"
    # Spreadsheets use the language of their owners.
    r"|betrag|preis|rabatt|steuer|summe|versand|montant|prix|remise|importe|impuesto|precio"
)


class Ignored(NamedTuple):
    """Non-empty columns, by number of rows; those with money separately, unless all of it is 0."""

    others: Counter[str]
    money: Counter[str]


def look_through(rows: RowFile, columns: Collection[str]) -> Ignored:
    others, money = Counter[str](), Counter[str]()
    for row in rows.rows():
        if isinstance(row, BadRow):
            continue
        for name, value in row.values.items():
            if not name or name in columns or name == REASON or value in (None, "", [], {}):
                continue
            amount = _amount(value, rows.dialect) if names_money(name) else None
            if amount is None:
                others[name] += 1
            elif amount:
                money[name] += 1
    return Ignored(Counter({name: count for name, count in others.items() if name not in money}), money)


def _amount(value: object, dialect: Dialect) -> Decimal | None:
    try:
        return None if isinstance(value, bool) else Decimal(dialect.number(str(value).strip()))
    except (InvalidOperation, ValueError):
        return None


@cache
def names_money(name: str) -> bool:
    return _MONEY.search(name.lower()) is not None
