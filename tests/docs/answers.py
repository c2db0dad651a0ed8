"""Compares an answer with the one that a page shows, and writes answers as pages show them."""

from __future__ import annotations

import json
import re
from typing import Any

Path = tuple[str | int, ...]

SHOWN_TIME = "2026-11-15T10:30:00Z"
# What differs from run to run; of these only the type is compared.
_TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?")
_CHANCE = re.compile(r"(wh_|whsec_|lk_|/inbox/).+|signed up .+ before")
_BY_CHANCE = ("id", "code", "token", "secret", "number", "ms", "seconds")
_WIDEST = 110
# The last entry of a list that a page does not show to its end.
AND_SO_ON = "..."


def differences(shown: Any, given: Any, path: Path = ()) -> list[str]:
    """One sentence for each difference."""
    if type(shown) is not type(given):
        return [f"{_name(path)}: the page shows {_short(shown)}, the service answered {_short(given)}"]
    if isinstance(shown, dict):
        return _of_objects(shown, given, path)
    if isinstance(shown, list):
        return _of_lists(shown, given, path)
    if isinstance(shown, str) and shown[:1] == given[:1] == "{":
        # A text that is JSON itself, such as the body of a delivery.
        return differences(json.loads(shown), json.loads(given), path)
    if shown == given or is_by_chance(shown, path):
        return []
    return [f"{_name(path)}: the page shows {_short(shown)}, the service answered {_short(given)}"]


def is_by_chance(value: Any, path: Path) -> bool:
    """True for times, ids, codes, secrets and durations. The `code` of a failure is none of them."""
    if isinstance(value, str) and (_TIME.fullmatch(value) or _CHANCE.fullmatch(value)):
        return True
    keys = [key for key in path if isinstance(key, str)]
    if len(keys) < 2 or isinstance(value, bool) or value is None:
        return False
    word = keys[-1].rpartition("_")[2]
    return word in _BY_CHANCE and keys[-1] != "response_code"


def as_shown(given: Any, shown: Any, path: Path = ()) -> Any:
    """The answer as the page should have it: what differs from run to run stays as the page has it."""
    if isinstance(given, dict):
        fields = shown if isinstance(shown, dict) else {}
        return {key: as_shown(value, fields.get(key), (*path, key)) for key, value in given.items()}
    if isinstance(given, list):
        before = shown if isinstance(shown, list) else []
        given, end = as_far_as(before, given), [AND_SO_ON] if before[-1:] == [AND_SO_ON] else []
        rows = before if len(before) == len(given) + len(end) else [None] * len(given)
        return [as_shown(value, rows[index], (*path, index)) for index, value in enumerate(given)] + end
    if is_by_chance(given, path) and type(shown) is type(given):
        return shown
    return SHOWN_TIME if isinstance(given, str) and re.fullmatch(r".{10}T.{8}Z", given) else given


def as_far_as(shown: list[Any], given: list[Any]) -> list[Any]:
    """As much of a list as the page shows."""
    return given[: len(shown) - 1] if shown[-1:] == [AND_SO_ON] else given


def written(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON over as few lines as are easy to read; `before` is what is in the same line already."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or before + len(line) <= _WIDEST:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        heads = [f"{inner}{json.dumps(key)}: " for key in value]
        parts = [head + written(item, indent + 2, len(head)) for head, item in zip(heads, value.values(), strict=True)]
        return "{\n" + ",\n".join(parts) + f"\n{' ' * indent}}}"
    parts = [inner + written(item, indent + 2, indent + 2) for item in value]
    return "[\n" + ",\n".join(parts) + f"\n{' ' * indent}]"


def _of_objects(shown: dict[str, Any], given: dict[str, Any], path: Path) -> list[str]:
    mismatches = [f"{_name((*path, key))}: only the page has it" for key in shown if key not in given]
    mismatches += [f"{_name((*path, key))}: the page lacks it" for key in given if key not in shown]
    for key in shown:
        if key in given:
            mismatches += differences(shown[key], given[key], (*path, key))
    return mismatches


def _of_lists(shown: list[Any], given: list[Any], path: Path) -> list[str]:
    shown, given = [entry for entry in shown if entry != AND_SO_ON], as_far_as(shown, given)
    if len(shown) != len(given):
        return [f"{_name(path)}: the page shows {len(shown)} entries, the service answered {len(given)}"]
    pairs = enumerate(zip(shown, given, strict=True))
    return [sentence for index, (a, b) in pairs for sentence in differences(a, b, (*path, index))]


def _name(path: Path) -> str:
    return ".".join(map(str, path)) or "the answer"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
