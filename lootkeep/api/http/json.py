"""Strict JSON: ambiguous or malformed input never reaches a field."""

from __future__ import annotations

import json
import re
from array import array
from decimal import Decimal
from itertools import accumulate
from typing import Any, NoReturn

import msgspec

from lootkeep.kernel.errors import Unprocessable

_DEEPEST = 32
_MAX_INTEGER = 2**63 - 1
_MIN_INTEGER = -(2**63)
# Shorter numbers fit into 64 bits, and Python refuses to parse thousands of digits.
_LONG = b"0" * 19
_LONG_INTEGERS = re.compile(rb"(?<![0-9.eE+-])-?[0-9]{19,}+(?![.eE])")
_MAX_DIGITS = 20
_ALIKE = bytes.maketrans(b"123456789", b"000000000")
# Read as signed bytes: 1 and -1.
_STEPS = bytes.maketrans(b"{[}]", b"\x01\x01\xff\xff")
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"{[}]"))


def parse_object(raw: bytes) -> dict[str, Any]:
    """The object in a request body; an empty body is an empty object.

    No Python code runs for each value: a body of many small ones would cost many times what its bytes do.
    """
    if not raw:
        return {}
    _check_integers(raw)
    value = _decode(raw)
    if not isinstance(value, dict):
        raise _unacceptable("The request body must be a JSON object.")
    _check_depth(raw)
    written = _encode(value)
    # The parser rejects raw control characters: only an escape can produce NUL.
    if b"\\u" in raw and rb"\u0000" in written.replace(rb"\\", b""):
        raise _unacceptable("The request body contains a NUL character.")
    if _is_key_lost(raw, written):
        raise _unacceptable("The request body contains the same key twice.")
    return value


def _unacceptable(message: str) -> Unprocessable:
    return Unprocessable("malformed_json", message)


def _refuse_constant(_: str) -> NoReturn:
    raise _unacceptable("The request body contains NaN or Infinity, which are not JSON.")


# Decimals keep every digit as written: money never passes through a float.
_DECODER = msgspec.json.Decoder(float_hook=Decimal)
# Four times as slow, but it shows what is wrong.
_EXPLAINING = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant)


def _decode(raw: bytes) -> Any:
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, ValueError, ArithmeticError, RecursionError):
        return _explain(raw)


def _explain(raw: bytes) -> Any:
    try:
        return _EXPLAINING.decode(raw.decode())
    except UnicodeDecodeError:
        raise _unacceptable("The request body must be UTF-8.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise _unacceptable("The request body is not valid JSON.") from None


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        raise _unacceptable("The request body contains a lone surrogate.") from None


def _check_integers(raw: bytes) -> None:
    if _LONG not in raw.translate(_ALIKE):
        return
    for digits in _LONG_INTEGERS.findall(_without_texts(raw)):
        if len(digits) > _MAX_DIGITS or not _MIN_INTEGER <= int(digits) <= _MAX_INTEGER:
            raise _unacceptable("The request body contains an integer that does not fit into 64 bits.")


def _check_depth(raw: bytes) -> None:
    if raw.count(b"{") + raw.count(b"[") <= _DEEPEST:
        return
    steps = array("b", _without_texts(raw).translate(_STEPS, _ALL_BUT_BRACKETS))
    if max(accumulate(steps)) > _DEEPEST:
        raise _unacceptable(f"The request body is nested deeper than {_DEEPEST} levels.")


def _is_key_lost(raw: bytes, written: bytes) -> bool:
    """If a key occurs twice, the rewritten value has only one of them, and so fewer colons."""
    if b"\\u" in raw:
        # An escape can encode a colon or a quote.
        raw, written = _without_texts(raw), _without_texts(written)
    return raw.count(b":") != written.count(b":")


def _without_texts(text: bytes) -> bytes:
    """The brackets, colons, commas and numbers, without keys and texts."""
    if b"\\" in text:
        text = text.replace(rb"\\", b"").replace(rb"\"", b"")
    return b"".join(text.split(b'"')[::2])
