"""The types of the TypeScript client: each component of the OpenAPI document as an interface or a union of words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tools.clients.endpoints import DOCUMENT

_SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
_PLAIN_TYPES = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
Field = tuple[str, dict[str, Any], bool]


class Types:
    """Collects the components that methods use, each once."""

    def __init__(self) -> None:
        self._blocks: dict[str, str] = {}

    def type_of(self, schema: dict[str, Any], prefix: str = "") -> str:
        """A schema as a type; `prefix` is what other files put in front of its name."""
        if "$ref" in schema:
            return self._reference(schema["$ref"].rpartition("/")[2], prefix)
        if "const" in schema or "enum" in schema:
            return _words(schema)
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.type_of(part, prefix) for part in schema["anyOf"]))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(_PLAIN_TYPES[name] for name in kind)
        if kind == "array":
            item = self.type_of(schema["items"], prefix)
            return f"Array<{item}>" if " " in item else f"{item}[]"
        if isinstance(schema.get("additionalProperties"), dict):
            return f"Record<string, {self.type_of(schema['additionalProperties'], prefix)}>"
        return _PLAIN_TYPES.get(str(kind), "Record<string, unknown>")

    def add_interface(self, name: str, fields: Iterable[Field]) -> None:
        """An interface with name, schema and whether it must be given, for each field."""
        if name in self._blocks:
            raise SystemExit(f"Two types are called {name}.")
        # An object may contain itself.
        self._blocks[name] = ""
        self._blocks[name] = f"export interface {name} {{\n{''.join(map(self._field, fields))}}}\n"

    def add_union(self, name: str, schemas: Iterable[dict[str, Any]]) -> None:
        self._blocks[name] = f"export type {name} =\n  | " + "\n  | ".join(map(self.type_of, schemas)) + ";\n"

    def text(self) -> str:
        return "\n".join(self._blocks.values())

    def _field(self, field: Field) -> str:
        name, schema, is_required = field
        description = " ".join(str(schema.get("description", "")).split())
        comment = f"  /** {description} */\n" if description else ""
        return f"{comment}  {name}{'' if is_required else '?'}: {self.type_of(schema)};\n"

    def _reference(self, component: str, prefix: str) -> str:
        schema = _SCHEMAS[component]
        if "enum" not in schema and "properties" not in schema:
            return self.type_of(schema, prefix)
        # `OrderView` is `Order`; a body keeps its name, since records and bodies differ.
        name = component.removesuffix("View")
        if name not in self._blocks:
            if "enum" in schema:
                self._blocks[name] = f"export type {name} = {_words(schema)};\n"
            else:
                required = schema.get("required", ())
                self.add_interface(name, [(key, field, key in required) for key, field in schema["properties"].items()])
        return prefix + name


def _words(schema: dict[str, Any]) -> str:
    return " | ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
