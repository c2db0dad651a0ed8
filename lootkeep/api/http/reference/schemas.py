"""A JSON schema as text: its type, its limits, its fields, and a sample value when none is given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SchemaNode = Mapping[str, Any]

# Deeper than any response; tables stop here.
MAX_DEPTH = 6

_FORMATS = {"date-time": "timestamp", "date": "date", "email": "e-mail", "uri": "URL"}
_SAMPLES = {
    "date-time": "2026-11-15T10:30:00Z",
    "date": "2026-11-15",
    "email": "ana@example.com",
    "uri": "https://example.com/hook",
}
_PLAIN: Mapping[str, Any] = {"integer": 1, "number": 1.0, "boolean": True, "string": "string"}


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One row of a table of fields or parameters."""

    name: str
    type: str
    depth: int
    is_required: bool
    description: str
    default: str | None
    allowed: list[str]
    limits: list[str]


class Schemas:
    """Reads schemas of one document, following its `$ref`s."""

    def __init__(self, document: SchemaNode) -> None:
        self._document = document

    def resolve(self, node: SchemaNode) -> SchemaNode:
        """The target of `node`'s reference; keys next to a `$ref` win over those of the target."""
        seen: set[str] = set()
        while "$ref" in node and node["$ref"] not in seen:
            seen.add(node["$ref"])
            others = {key: value for key, value in node.items() if key != "$ref"}
            node = {**self._target(node["$ref"]), **others}
        return node

    def _target(self, ref: str) -> SchemaNode:
        node: Any = self._document
        for part in ref.removeprefix("#/").split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            node = node.get(name, {}) if isinstance(node, Mapping) else {}
        return node if isinstance(node, Mapping) else {}

    def plain(self, node: SchemaNode) -> SchemaNode:
        """`node` resolved, and a union with null replaced by its only other member."""
        node = self.resolve(node)
        members = [member for member in self._members(node) if member.get("type") != "null"]
        if len(members) != 1:
            return node
        rest = {key: value for key, value in node.items() if key != "anyOf"}
        return {**self.plain(members[0]), **rest}

    def _members(self, node: SchemaNode) -> list[SchemaNode]:
        return [self.resolve(member) for member in node.get("anyOf", ())]

    def is_nullable(self, node: SchemaNode) -> bool:
        node = self.resolve(node)
        kinds = node.get("type")
        if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
            return True
        return any(self.is_nullable(member) for member in self._members(node))

    def type_words(self, node: SchemaNode) -> str:
        words = self._bare_type(self.plain(node))
        return f"{words} or null" if self.is_nullable(node) and words != "null" else words

    def _bare_type(self, node: SchemaNode) -> str:
        members = [member for member in self._members(node) if member.get("type") != "null"]
        if members:
            return " or ".join(dict.fromkeys(self._bare_type(self.plain(member)) for member in members))
        kind = _kind(node)
        if kind == "array":
            return f"array of {_plural(self.type_words(node.get('items', {})))}"
        values = node.get("additionalProperties")
        if kind == "object" and isinstance(values, Mapping) and values:
            return f"map of {_plural(self.type_words(values))}"
        return _FORMATS.get(node.get("format", ""), kind)

    def field(self, name: str, node: SchemaNode, *, is_required: bool, depth: int = 0) -> SchemaField:
        own = self.plain(node)
        items = self.plain(own["items"]) if "items" in own else {}
        default = own.get("default")
        return SchemaField(
            name=name,
            type=self.type_words(node),
            depth=depth,
            is_required=is_required,
            description=str(own.get("description") or items.get("description") or ""),
            default=None if default is None else _word(default),
            allowed=[_word(value) for value in self._allowed(own) or self._allowed(items)],
            limits=[*self._limits(own), *(f"each {limit}" for limit in self._limits(items))],
        )

    def _allowed(self, node: SchemaNode) -> list[Any]:
        if "const" in node:
            return [node["const"]]
        values = list(node.get("enum", ()))
        for member in self._members(node):
            values += self._allowed(self.plain(member))
        return [value for value in values if value is not None]

    def _limits(self, node: SchemaNode) -> list[str]:
        limits = list(_own_limits(node))
        for member in self._members(node):
            limits += self._limits(self.plain(member))
        return list(dict.fromkeys(limits))

    def fields(self, node: SchemaNode, above: tuple[SchemaNode, ...] = ()) -> Iterator[SchemaField]:
        """The fields of an object, or of the objects in an array, each followed by its own fields."""
        node = self.plain(node)
        if _kind(node) == "array":
            yield from self.fields(node.get("items", {}), above)
            return
        properties = node.get("properties", {})
        # An object that contains itself is described once.
        if properties in above or len(above) >= MAX_DEPTH:
            return
        for name, schema in properties.items():
            yield self.field(name, schema, is_required=name in node.get("required", ()), depth=len(above))
            yield from self.fields(schema, (*above, properties))

    def sample(self, node: SchemaNode) -> Any:
        """A value of a parameter that has no example."""
        node = self.plain(node)
        examples = [node[key] for key in ("default", "const") if node.get(key) is not None]
        examples += [*node.get("examples", ()), *node.get("enum", ())]
        if examples:
            return examples[0]
        # Of several types the first: an amount is a string or a number.
        kind = _kind(node).partition(" or ")[0]
        if kind in ("integer", "number"):
            return node.get("minimum", _PLAIN[kind])
        return _SAMPLES.get(node.get("format", ""), _PLAIN.get(kind))


def _kind(node: SchemaNode) -> str:
    kinds = node.get("type", "object" if "properties" in node else "any")
    if isinstance(kinds, list):
        return " or ".join(kind for kind in kinds if kind != "null") or "null"
    return str(kinds)


def _plural(words: str) -> str:
    first, *rest = words.split(" ", 1)
    if first in ("any", "e-mail", "IP"):
        return {"any": "anything", "e-mail": "e-mails", "IP": "IP addresses"}[first]
    plural = first if first in ("array", "map") else f"{first}s"
    return " ".join([plural, *rest])


def _word(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _own_limits(node: SchemaNode) -> Iterator[str]:
    yield from _range(node.get("minimum"), node.get("maximum"), "")
    yield from _range(node.get("minLength"), node.get("maxLength"), "character")
    yield from _range(node.get("minItems"), node.get("maxItems"), "item")
    if "pattern" in node:
        yield f"matches `{node['pattern']}`"


def _range(low: Any, high: Any, unit: str) -> Iterator[str]:
    if low is None and high is None:
        return
    last = low if high is None else high
    counted = f" {unit}{'' if last == 1 else 's'}" if unit else ""
    if high is None:
        yield f"at least {low}{counted}"
    elif low is None or (unit and low == 0):
        yield f"at most {high}{counted}"
    elif low == high:
        yield f"exactly {low}{counted}"
    else:
        yield f"{low} to {high}{counted}"
