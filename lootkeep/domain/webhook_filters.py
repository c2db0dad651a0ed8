"""Filters of webhooks: which events one gets, in the language of the store's own rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from lootkeep.domain.fraud.expressions import Expression, ExpressionError, parse_with
from lootkeep.domain.fraud.fact_names import FactName
from lootkeep.kernel import money

# The data of an event, with one of its items.
EventLine = Mapping[str, Any]

# What an event is about comes first: a refund also has the total of its order.
_AMOUNTS = ("refund_amount", "amount", "total", "discount", "price", "balance")


def _amount(line: EventLine) -> int | None:
    return next((money.parse(line[name]) for name in _AMOUNTS if name in line), None)


def _lower(line: EventLine, name: str) -> str | None:
    return line[name].lower() if line.get(name) else None


# Stored filters use these names: never rename or remove one.
FIELDS: dict[str, FactName[EventLine]] = {
    "amount": FactName("money", _amount, None, "What it is about: the refund, the redeemed amount, else the total."),
    "currency": FactName("text", lambda line: _lower(line, "currency"), None, "The currency of the amount."),
    "product": FactName("number", lambda line: line.get("product_id"), None, "The id of the product."),
    "product_name": FactName("text", lambda line: _lower(line, "product_name"), None, "Its name at that time."),
    "quantity": FactName("number", lambda line: line.get("quantity"), None, "How many of it were ordered."),
}


def fits(expression: str, data: str) -> bool:
    """Whether an event with this data is wanted: an order is if one of its items is."""
    event: dict[str, Any] = msgspec.json.decode(data)
    test = _parsed(expression).fits
    return any(test(event | item) for item in event.get("items") or [{}])


def check(expression: str) -> str | None:
    try:
        _parsed(expression)
    except ExpressionError as error:
        return str(error)
    return None


@lru_cache(maxsize=256)
def _parsed(expression: str) -> Expression:
    return parse_with(expression, FIELDS)
