"""Types of request fields that several endpoints share; each failure is the end of a sentence."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from iso4217 import Currency as Iso4217
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from lootkeep.kernel import money
from lootkeep.kernel.money import Hundredths

_DIGITS = re.compile(r"-?[0-9]{1,18}")
_CURRENCIES = frozenset(currency.code for currency in Iso4217)
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def refuse(predicate: str) -> PydanticCustomError:
    """A refusal that reads on from `The name field ...`."""
    return PydanticCustomError("sentence", predicate)


def _money(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise refuse("must be a number with at most two decimals")
    try:
        return money.parse(value)
    except money.NotMoney:
        raise refuse("must be a number with at most two decimals") from None


def _not_blank(value: str) -> str:
    if not value.strip():
        raise refuse("must not be blank")
    return value


def _currency(value: str) -> str:
    code = value.upper()
    if code not in _CURRENCIES:
        raise refuse("must be an ISO 4217 currency code")
    return code


def _integer(value: Any) -> Any:
    if isinstance(value, str):
        if not _DIGITS.fullmatch(value):
            raise refuse("must be an integer")
        return int(value)
    return value


def _boolean(value: Any) -> Any:
    if isinstance(value, str):
        if value not in _BOOLEANS:
            raise refuse("must be true or false")
        return _BOOLEANS[value]
    return value


def at_least_a_cent(amount: Hundredths) -> Hundredths:
    if amount < 1:
        raise refuse("must be at least 0.01")
    return amount


Money = Annotated[
    Hundredths,
    BeforeValidator(_money),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^-?\d+(\.\d{1,2})?$"}]}),
]
PositiveMoney = Annotated[
    Hundredths,
    BeforeValidator(_money),
    AfterValidator(at_least_a_cent),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0.01}, {"type": "string", "pattern": r"^\d+(\.\d{1,2})?$"}]}
    ),
]
Name = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_not_blank)]
Currency = Annotated[str, AfterValidator(_currency), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z]{3}$"})]

# For query parameters, which arrive as texts.
QueryInteger = Annotated[int, BeforeValidator(_integer)]
QueryBoolean = Annotated[bool, BeforeValidator(_boolean)]
