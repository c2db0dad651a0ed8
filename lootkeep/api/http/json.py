"""Strict JSON: ambiguous or malformed input never reaches a field."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, NoReturn

import msgspec

from lootkeep.kernel.errors import Unprocessable

_DEEPEST = 32
_MAX_INTEGER = 2**63 - 1
_MIN_INTEGER = -(2**63)
# Python refuses to parse thousands of digits.
_MAX_DIGITS = 20


def parse_object(raw: bytes) -> dict[str, Any]:
    """The object in a request body; an empty body is an empty object."""
    if not raw:
        return {}
    value = _decode(raw)
    if not isinstance(value, dict):
        raise _unacceptable("The request body must be a JSON object.")
    if raw.count(b"{") + raw.count(b"[") > _DEEPEST:
        _check_depth(value, _DEEPEST)
    # The decoder rejects raw control characters, and the encoding lone surrogates: only an escape can produce them.
    if b"\\u" in raw:
        _check_texts(value)
    return value


def _unacceptable(message: str) -> Unprocessable:
    return Unprocessable("malformed_json", message)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _unacceptable("The request body contains the same key twice.")
    return value


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS or not _MIN_INTEGER <= (number := int(digits)) <= _MAX_INTEGER:
        raise _unacceptable("The request body contains an integer that does not fit into 64 bits.")
    return number


def _refuse_constant(_: str) -> NoReturn:
    raise _unacceptable("The request body contains NaN or Infinity, which are not JSON.")


# Decimals keep every digit as written: money never passes through a float.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=Decimal, parse_int=_integer, parse_constant=_refuse_constant
)


def _decode(raw: bytes) -> Any:
    try:
        return _DECODER.decode(raw.decode())
    except UnicodeDecodeError:
        raise _unacceptable("The request body must be UTF-8.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise _unacceptable("The request body is not valid JSON.") from None


def _check_depth(value: Any, levels: int) -> None:
    if isinstance(value, dict | list):
        if not levels:
            raise _unacceptable(f"The request body is nested deeper than {_DEEPEST} levels.")
        for part in value.values() if isinstance(value, dict) else value:
            _check_depth(part, levels - 1)


def _check_texts(value: Any) -> None:
    try:
        written = msgspec.json.encode(value)
    except UnicodeEncodeError:
        raise _unacceptable("The request body contains a lone surrogate.") from None
    if rb"\u0000" in written.replace(rb"\\", b""):
        raise _unacceptable("The request body contains a NUL character.")
