"""The types of the PHP client: each component of the OpenAPI document as a shape for PHPStan and editors."""

import re
from collections.abc import Iterable
from typing import Any

from tools.clients.endpoints import COMMAND, DOCUMENT

_SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
# JSON has one kind of number: 2.0 may come as 2.
_PLAIN_TYPES = {"string": "string", "integer": "int", "number": "int|float", "boolean": "bool", "null": "null"}
# Tags, and the fields of a shape; a summary may begin with a word that is also a type.
_TYPED_LINE = re.compile(r"^ +\* (?:@|    ).*\n", re.MULTILINE)
_NAME = re.compile(r"\b[A-Z]\w*\b")


class Types:
    """Collects the components that methods and events use; each is an alias of the class `Types`."""

    def __init__(self) -> None:
        self._aliases: dict[str, str] = {}

    def type_of(self, schema: dict[str, Any]) -> str:
        """A schema as a type."""
        if "$ref" in schema:
            return self._reference(schema["$ref"].rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            return "|".join(f"'{word}'" for word in schema.get("enum", [schema.get("const")]))
        if "anyOf" in schema:
            return "|".join(dict.fromkeys(map(self.type_of, schema["anyOf"])))
        kind = schema.get("type")
        if isinstance(kind, list):
            return "|".join(_PLAIN_TYPES[name] for name in kind)
        if kind == "array":
            return f"list<{self.type_of(schema['items'])}>"
        if isinstance(schema.get("additionalProperties"), dict):
            return f"array<string, {self.type_of(schema['additionalProperties'])}>"
        return _PLAIN_TYPES.get(str(kind), "array<string, mixed>")

    def shape(self, fields: Iterable[tuple[str, dict[str, Any], bool]], margin: str = "") -> str:
        """`array{id: int, note?: string}`, a line for each field: name, schema, and whether it must be there."""
        lines = [f"{margin} *     {name}{'' if must else '?'}: {self.type_of(of)}" for name, of, must in fields]
        return "array{\n" + ",\n".join(lines) + f"\n{margin} * }}"

    def add_union(self, name: str, schemas: Iterable[dict[str, Any]]) -> None:
        self._aliases[name] = "|".join(self.type_of(schema) for schema in schemas)

    def imports(self, text: str) -> str:
        """The lines that make the aliases of a text known to its class."""
        typed = "".join(_TYPED_LINE.findall(text))
        names = sorted(set(_NAME.findall(typed)) & self._aliases.keys())
        return "".join(f" * @phpstan-import-type {name} from Types\n" for name in names)

    def file(self) -> str:
        lines = "".join(f" * @phpstan-type {name} {of}\n" for name, of in self._aliases.items())
        note = "What methods return, what bodies consist of, and what a webhook receives"
        return (
            "<?php\n\ndeclare(strict_types=1);\n\nnamespace Lootkeep;\n\n"
            f"/**\n * {note}; written by `{COMMAND}`.\n *\n{lines} */\nfinal class Types {{}}\n"
        )

    def _reference(self, component: str) -> str:
        schema = _SCHEMAS[component]
        if "enum" not in schema and "properties" not in schema:
            return self.type_of(schema)
        # `OrderView` is `Order`; a body keeps its name, since records and bodies differ.
        name = component.removesuffix("View") or component
        if name not in self._aliases:
            # It has its place before those that it consists of.
            self._aliases[name] = ""
            self._aliases[name] = self.type_of(schema) if "enum" in schema else self.shape(properties(schema))
        return name


def properties(schema: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any], bool]]:
    required = schema.get("required", ())
    return [(name, field, name in required) for name, field in schema["properties"].items()]


def is_map(schema: dict[str, Any]) -> bool:
    """Whether it is an object with any names."""
    return any(isinstance(part.get("additionalProperties"), dict) for part in [schema, *schema.get("anyOf", ())])
