"""Types of request fields that several endpoints share; each failure is the end of a sentence."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from lootkeep.api.http.validation import OWN_WORDS
from lootkeep.domain import identity as identity_rules, inputs as inputs_rules
from lootkeep.domain.codes import currencies
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, instant
from lootkeep.kernel.money import Hundredths

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:[0-5]\d)", re.ASCII)
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
# Metadata is the store's own notes on a record: flat, small, and returned as it was sent.
_MAX_METADATA_KEYS = 50
_MAX_METADATA_KEY_LENGTH = 64
_MAX_METADATA_BYTES = 16 * 1024
_MAX_MONEY = money.text(money.MAX_AMOUNT)
# Numbers keep every digit they were sent with.
_encode_metadata = msgspec.json.Encoder(decimal_format="number").encode


def field(description: str, *example: Any, **rules: Any) -> Any:
    """What the reference says of a field, with an example, and what its values must be."""
    return Field(description=description, examples=[*example] or None, **rules)


def refuse(predicate: str) -> PydanticCustomError:
    """A rejection that reads on from `The name field ...`."""
    return PydanticCustomError(OWN_WORDS, predicate)


def _money(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise refuse("must be a number with at most two decimals")
    try:
        return money.parse(value)
    except money.TooMuch:
        raise refuse(f"must not be greater than {_MAX_MONEY}") from None
    except money.NotMoney:
        raise refuse("must be a number with at most two decimals") from None


def not_blank(value: str) -> str:
    if not value.strip():
        raise refuse("must not be blank")
    return value


def distinct(words: list[str]) -> list[str]:
    if len(set(words)) != len(words):
        raise refuse("must not contain the same entry twice")
    return words


def _currency(value: str) -> str:
    code = value.upper()
    if not value.isascii() or code not in currencies():
        raise refuse("must be an ISO 4217 currency code")
    return code


def _integer(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    number = inputs_rules.integer(value)
    if number is None:
        raise refuse("must be an integer")
    return number


def _boolean(value: Any) -> Any:
    if isinstance(value, str):
        if value not in _BOOLEANS:
            raise refuse("must be true or false")
        return _BOOLEANS[value]
    return value


def _email(value: str) -> str:
    try:
        return inputs_rules.email(value)
    except ValueError:
        raise refuse("must be a valid e-mail address") from None


def _ip_address(value: str) -> str:
    try:
        return identity_rules.address(value)
    except ValueError:
        raise refuse("must be a valid IP address") from None


def _country(value: str) -> str:
    try:
        return inputs_rules.country(value)
    except ValueError:
        raise refuse("must be an ISO 3166-1 alpha-2 country code") from None


def _time(value: Any) -> Any:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise refuse("must be a time like 2026-11-15T10:30:00Z")
    try:
        # In UTC first: beyond the year 9999 there is no answer that could show it.
        moment = instant(datetime.fromisoformat(value).astimezone(UTC))
    except (ValueError, OverflowError):
        raise refuse("must be a time like 2026-11-15T10:30:00Z") from None
    if moment < 0:
        raise refuse("must not be before 1970")
    return moment


def _date(value: Any) -> Any:
    # By its form first: Python would also read `2026-1-5`.
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise refuse("must be a day like 2026-11-15")
    try:
        return instant(datetime.fromisoformat(value).replace(tzinfo=UTC))
    except ValueError:
        raise refuse("must be a day like 2026-11-15") from None


def _not_negative(amount: Hundredths) -> Hundredths:
    if amount < 0:
        raise refuse("must be at least 0")
    return amount


def _at_least_a_cent(amount: Hundredths) -> Hundredths:
    if amount < 1:
        raise refuse("must be at least 0.01")
    return amount


# Without looking ahead, which not every language can.
_NOT_ZERO = r"^(0*[1-9]\d*(\.\d{1,2})?|0+\.(\d?[1-9]|[1-9]\d?))$"
# The pattern is for strings only, and the limits are for numbers only.
_MONEY: dict[str, Any] = {"type": ["string", "number"], "maximum": float(_MAX_MONEY)}
Money = Annotated[
    Hundredths,
    BeforeValidator(_money),
    AfterValidator(_not_negative),
    WithJsonSchema(_MONEY | {"pattern": r"^\d+(\.\d{1,2})?$", "minimum": 0}),
]
PositiveMoney = Annotated[
    Hundredths,
    BeforeValidator(_money),
    AfterValidator(_at_least_a_cent),
    WithJsonSchema(_MONEY | {"pattern": _NOT_ZERO, "minimum": 0.01}),
]
Name = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(not_blank)]
Currency = Annotated[str, AfterValidator(_currency), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z]{3}$"})]

EmailAddress = Annotated[
    str,
    Field(max_length=255),
    AfterValidator(_email),
    WithJsonSchema({"type": "string", "format": "email", "maxLength": 255}),
]
IpAddressText = Annotated[
    str,
    Field(max_length=64),
    AfterValidator(_ip_address),
    WithJsonSchema({"type": "string", "maxLength": 64}),
]
Country = Annotated[str, AfterValidator(_country), WithJsonSchema({"type": "string", "pattern": "^[A-Za-z]{2}$"})]
Time = Annotated[Instant, BeforeValidator(_time), WithJsonSchema({"type": "string", "format": "date-time"})]

# For query parameters, which arrive as text.
QueryDate = Annotated[Instant, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]
QueryInteger = Annotated[int, BeforeValidator(_integer)]
QueryBoolean = Annotated[bool, BeforeValidator(_boolean)]


def metadata_text(value: Any) -> str:
    """The JSON to store."""
    return _encode_metadata(value).decode()


def _flat_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    # The keys are the client's own words, so an error names the whole field and does not echo them.
    if len(metadata) > _MAX_METADATA_KEYS:
        raise refuse(f"must not have more than {_MAX_METADATA_KEYS} keys")
    if not all(1 <= len(key) <= _MAX_METADATA_KEY_LENGTH for key in metadata):
        raise refuse(f"must have keys of 1 to {_MAX_METADATA_KEY_LENGTH} characters")
    if not all(_is_scalar(value) for value in metadata.values()):
        raise refuse("must contain only strings, numbers, booleans and nulls")
    if len(_encode_metadata(metadata)) > _MAX_METADATA_BYTES:
        raise refuse("must not be larger than 16 KB")
    return metadata


def _is_scalar(value: Any) -> bool:
    if isinstance(value, Decimal):
        # Beyond this, most JSON parsers read infinity.
        return math.isfinite(float(value))
    return value is None or isinstance(value, str | int)


Metadata = Annotated[
    dict[str, Any],
    AfterValidator(_flat_metadata),
    WithJsonSchema(
        {
            "type": "object",
            "maxProperties": _MAX_METADATA_KEYS,
            "propertyNames": {"minLength": 1, "maxLength": _MAX_METADATA_KEY_LENGTH},
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        }
    ),
]
