"""A call of the API as every language shows it, and the values in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lootkeep.api.http.reference.shown import BodyDoc, ParameterDoc

# The server's URL in a sample, until the page replaces it.
ORIGIN = "https://your-store.example"
MAX_LINE = 72
# The types whose example is JSON; any other is a text.
_JSON_TYPES = ("integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Call:
    """Optional parameters stay out: what is copied must work as it is, not come back filtered to nothing."""

    method: str
    path: str
    # As in the table of names; empty if the clients have none.
    client_method: str
    # Whether the clients return an iterator over all pages.
    is_paged: bool
    needed: list[ParameterDoc]
    body: BodyDoc | None
    needs_token: bool

    @property
    def ids(self) -> list[Any]:
        return [_value(parameter) for parameter in self.needed if parameter.location == "path"]

    @property
    def fields(self) -> dict[str, Any]:
        """What a method of a client takes by name: the fields of the body, or the query."""
        if self.body:
            fields: dict[str, Any] = json.loads(self.body.example)
            return fields
        return {parameter.field.name: _value(parameter) for parameter in self.needed if parameter.location == "query"}


def _value(parameter: ParameterDoc) -> Any:
    return json.loads(parameter.example) if parameter.field.type in _JSON_TYPES else parameter.example


def json_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Notation:
    """How a language writes values. What is in `braces` and `brackets` goes on one line where it fits."""

    true: str
    false: str
    null: str
    braces: tuple[str, str]
    brackets: tuple[str, str]
    # From a name to what is in front of its value.
    key: Callable[[str], str]
    step: str
    text: Callable[[str], str] = json_text

    def write(self, value: Any, indent: str = "") -> str:
        if isinstance(value, dict):
            inner = indent + self.step
            return self._enclosed(self.braces, [self.key(k) + self.write(v, inner) for k, v in value.items()], indent)
        if isinstance(value, list):
            inner = indent + self.step
            return self._enclosed(self.brackets, [self.write(item, inner) for item in value], indent)
        if isinstance(value, str):
            return self.text(value)
        if value is None:
            return self.null
        if isinstance(value, bool):
            return self.true if value else self.false
        return json.dumps(value)

    def _enclosed(self, ends: tuple[str, str], parts: list[str], indent: str) -> str:
        start, end = ends
        line = f"{start}{', '.join(parts)}{end}"
        if not parts:
            return start.rstrip() + end.lstrip()
        if "\n" not in line and len(indent) + len(line) <= MAX_LINE:
            return line
        lines = "".join(f"{indent}{self.step}{part},\n" for part in parts)
        return f"{start.rstrip()}\n{lines}{indent}{end.lstrip()}"
