"""Converts the text of a file for the API: how each column is parsed in the file's dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from lootkeep.kernel.clock import iso
from lootkeep.toolbox.files.dialect import Dialect

_DIGITS = re.compile(r"[0-9]{1,18}")

CellReader = Callable[[Dialect, str], Any]


def read(values: Mapping[str, Any], readers: Mapping[str, CellReader], dialect: Dialect) -> dict[str, Any]:
    """Values that are not text, or cannot be parsed, stay as they are: the API's rules report the error."""
    result = dict(values)
    for name, value in values.items():
        if isinstance(value, str) and name in readers:
            try:
                result[name] = readers[name](dialect, value.strip())
            except (ValueError, KeyError, OverflowError):
                continue
    return result


def time(dialect: Dialect, text: str) -> str:
    return iso(dialect.time(text))


def times(dialect: Dialect, text: str) -> list[str]:
    """Several, separated by semicolons."""
    return [time(dialect, part) for part in parts(text)]


def integer(dialect: Dialect, text: str) -> int:
    """Also in the format of spreadsheets: 3.0."""
    text = text.removesuffix(".0")
    if not _DIGITS.fullmatch(text.removeprefix("-")):
        raise ValueError
    return int(text)


def word(dialect: Dialect, text: str) -> str:
    """One of a few words: `Partially refunded` is partially_refunded."""
    return text.lower().replace(" ", "_")


def lines(dialect: Dialect, text: str) -> list[dict[str, Any]]:
    """`SWORD-01:2@9.99;12:1` as lines; the last colon counts, since a sku may hold one. The sku counts, then the id."""
    result = []
    for part in parts(text):
        sku, colon, rest = part.rpartition(":")
        quantity, at, price = rest.partition("@")
        line = named_product(sku if colon else part)
        if colon:
            line["quantity"] = int(quantity) if _DIGITS.fullmatch(quantity) else quantity
        result.append(line | ({"price": dialect.number(price)} if at else {}))
    return result


def named_product(name: str) -> dict[str, Any]:
    """A product by its sku, or by its id if no product has such a sku."""
    return {"sku": name} | ({"product_id": int(name)} if _DIGITS.fullmatch(name) else {})


def refunds(dialect: Dialect, text: str) -> list[dict[str, Any]]:
    """`5.00@2024-03-01T10:00:00Z;2.50` as refunds; 0 means none."""
    pairs = (part.partition("@") for part in parts(text))
    amounts = [(dialect.number(amount), at) for amount, _, at in pairs]
    return [
        {"amount": amount} | ({"created_at": time(dialect, at)} if at else {})
        for amount, at in amounts
        if amount.strip("0.")
    ]


def parts(text: str) -> Iterator[str]:
    return filter(None, (part.strip() for part in text.split(";")))


def words(dialect: Dialect, text: str) -> list[str]:
    """`rare, melee` as distinct words."""
    return list(dict.fromkeys(parts(text.replace(",", ";"))))


def json(dialect: Dialect, text: str) -> Any:
    return msgspec.json.decode(text)
