"""Metadata: what a store keeps with its records for itself, flat and small, answered as it was sent."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from pydantic import AfterValidator, WithJsonSchema

from lootkeep.api.http.fields import refuse

_MOST_KEYS = 50
_LONGEST_KEY = 64
_LARGEST_METADATA = 16 * 1024

# Numbers keep every digit they were sent with.
_encode = msgspec.json.Encoder(decimal_format="number").encode


def as_text(value: Any) -> str:
    """The JSON that is stored."""
    return _encode(value).decode()


def _flat(metadata: dict[str, Any]) -> dict[str, Any]:
    # The keys are the client's own words, so a fault is told of the whole field and echoes none of them.
    if len(metadata) > _MOST_KEYS:
        raise refuse(f"must not have more than {_MOST_KEYS} keys")
    if not all(1 <= len(key) <= _LONGEST_KEY for key in metadata):
        raise refuse(f"must have keys of 1 to {_LONGEST_KEY} characters")
    if not all(_is_scalar(value) for value in metadata.values()):
        raise refuse("must hold only strings, numbers, booleans and nulls")
    if len(_encode(metadata)) > _LARGEST_METADATA:
        raise refuse("must not be larger than 16 KB")
    return metadata


def _is_scalar(value: Any) -> bool:
    if isinstance(value, Decimal):
        # Beyond this, most readers of JSON see an infinity.
        return math.isfinite(float(value))
    return value is None or isinstance(value, str | int)


Metadata = Annotated[
    dict[str, Any],
    AfterValidator(_flat),
    WithJsonSchema(
        {
            "type": "object",
            "maxProperties": _MOST_KEYS,
            "propertyNames": {"minLength": 1, "maxLength": _LONGEST_KEY},
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        }
    ),
]
