"""Strict JSON: what a careful reader would not accept never reaches a field."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, NoReturn

from lootkeep.kernel.errors import Unprocessable

_DEEPEST = 32
_LARGEST_INTEGER = 2**63 - 1
_SMALLEST_INTEGER = -(2**63)
# More digits cannot be a 64-bit integer, and Python refuses to parse thousands of them.
_LONGEST_INTEGER = 20


def parse_object(raw: bytes) -> dict[str, Any]:
    """The object in a request body; an empty body is an empty object."""
    if not raw:
        return {}
    try:
        value = _DECODER.decode(raw.decode())
    except UnicodeDecodeError:
        raise _unacceptable("The request body must be UTF-8.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise _unacceptable("The request body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise _unacceptable("The request body must be a JSON object.")
    _check_depth(raw, value)
    _check_texts(raw, value)
    return value


def _unacceptable(message: str) -> Unprocessable:
    return Unprocessable("malformed_json", message)


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER or not _SMALLEST_INTEGER <= (number := int(digits)) <= _LARGEST_INTEGER:
        raise _unacceptable("The request body holds an integer that does not fit into 64 bits.")
    return number


def _refuse_constant(_: str) -> NoReturn:
    raise _unacceptable("The request body holds NaN or Infinity, which are not JSON.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _unacceptable("The request body holds the same key twice.")
    return value


# Decimals keep every digit as it was written: money never passes through a float.
_DECODER = json.JSONDecoder(
    parse_int=_integer, parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_object
)


def _check_depth(raw: bytes, value: Any) -> None:
    if raw.count(b"{") + raw.count(b"[") <= _DEEPEST:
        return
    level = [value]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in _children(node) if isinstance(child, dict | list)]
    if level:
        raise _unacceptable(f"The request body is nested deeper than {_DEEPEST} levels.")


def _check_texts(raw: bytes, value: Any) -> None:
    # Raw control characters are refused by the parser and raw surrogates by UTF-8: only escapes can bring them.
    if b"\\u" not in raw:
        return
    nodes = [value]
    while nodes:
        node = nodes.pop()
        if isinstance(node, str):
            _check_text(node)
        else:
            nodes.extend(_children(node))
            if isinstance(node, dict):
                nodes.extend(node)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise _unacceptable("The request body holds a NUL character.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _unacceptable("The request body holds half of a surrogate pair.") from None


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []
