"""The types of the Python client: each component of the OpenAPI document as a TypedDict or a Literal."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from typing import Any

from tools.clients.endpoints import DOCUMENT

WORDS = "words"
ALL_TYPES = "What methods return, what bodies consist of, and what a webhook receives."
_SCHEMAS: dict[str, dict[str, Any]] = DOCUMENT["components"]["schemas"]
_STANDARD = {
    "collections.abc": {"Mapping", "Sequence"},
    "typing": {"Any", "Literal", "NotRequired", "Required", "TypedDict", "Unpack"},
}
_PLAIN_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class Types:
    """Collects the components that one file after the other uses: a type is written where it is used first.

    So a file refers only to itself and to earlier ones, and no two files import each other.
    """

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {WORDS: []}
        self._home: dict[str, str] = {}
        self._file = WORDS

    def start(self, file: str) -> None:
        self._file = file
        self._files[file] = []

    def type_of(self, schema: dict[str, Any]) -> str:
        """A schema as a type."""
        if "$ref" in schema:
            return self._reference(schema["$ref"].rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            return literal(schema)
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(map(self.type_of, schema["anyOf"])))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(_PLAIN_TYPES[name] for name in kind)
        if kind == "array":
            return f"Sequence[{self.type_of(schema['items'])}]"
        if isinstance(schema.get("additionalProperties"), dict):
            return f"Mapping[str, {self.type_of(schema['additionalProperties'])}]"
        return _PLAIN_TYPES.get(str(kind), "Mapping[str, Any]")

    def public(self, schema: dict[str, Any]) -> str:
        """The same for files outside of `types/`."""
        return re.sub(r"\b[A-Z]\w*\b", self._with_module, self.type_of(schema))

    def record(self, schema: dict[str, Any]) -> str:
        """What a method returns: `type[...]` has no place for a Literal, so a word is a `str`."""
        return "str" if self._home.get(self.type_of(schema)) == WORDS else self.public(schema)

    def fields(self, schema: dict[str, Any]) -> list[tuple[str, str, bool]]:
        """Name, type and whether it must be given, for each property."""
        required = schema.get("required", ())
        return [(name, self.type_of(field), name in required) for name, field in schema["properties"].items()]

    def add_union(self, name: str, schemas: Iterable[dict[str, Any]]) -> None:
        members = " | ".join(self.type_of(schema) for schema in schemas)
        self._home[name] = self._file
        self._files[self._file].append(f"{name} = {members}")

    def texts(self, note: str) -> dict[str, str]:
        """The text of each file; `__init__` has all types."""
        texts = {file: self._text(file, blocks, note) for file, blocks in self._files.items() if blocks}
        lines = [f"from lootkeep_client.types.{home} import {name} as {name}\n" for name, home in self._home.items()]
        return texts | {"__init__": f'"""{ALL_TYPES}"""\n\n{"".join(sorted(lines))}'}

    def _with_module(self, name: re.Match[str]) -> str:
        return f"types.{name[0]}" if name[0] in self._home else name[0]

    def _reference(self, component: str) -> str:
        schema = _SCHEMAS[component]
        if "enum" not in schema and "properties" not in schema:
            return self.type_of(schema)
        name = _short(component)
        if name not in self._home:
            is_word = "enum" in schema
            self._home[name] = WORDS if is_word else self._file
            block = f"{name} = {literal(schema)}" if is_word else self._typed_dict(name, schema)
            self._files[self._home[name]].append(block)
        return name

    def _typed_dict(self, name: str, schema: dict[str, Any]) -> str:
        fields = [
            (field, kind if is_required else f"NotRequired[{kind}]") for field, kind, is_required in self.fields(schema)
        ]
        if any(keyword.iskeyword(field) for field, _ in fields):
            pairs = ", ".join(f'"{field}": "{kind}"' for field, kind in fields)
            return f'{name} = TypedDict("{name}", {{{pairs}}})'
        return f"class {name}(TypedDict):\n" + "".join(f"    {field}: {kind}\n" for field, kind in fields)

    def _text(self, file: str, blocks: list[str], note: str) -> str:
        text = "\n\n".join(blocks) + "\n"
        homes: dict[str, list[str]] = {}
        for name in sorted(set(_names(text)) & self._home.keys()):
            if self._home[name] != file:
                homes.setdefault(self._home[name], []).append(name)
        own = [f"from lootkeep_client.types.{home} import {', '.join(homes[home])}\n" for home in sorted(homes)]
        return written(note.format(file=file), text, own)


def written(note: str, text: str, own_imports: Iterable[str] = ()) -> str:
    """A whole file: its sentence, what it imports, its text."""
    used = set(_names(text))
    imports = ["from __future__ import annotations\n\n"]
    for module, names in _STANDARD.items():
        if used & names:
            imports.append(f"from {module} import {', '.join(sorted(used & names))}\n")
    return f'"""{note}"""\n\n{"".join(imports)}\n{"".join(sorted(own_imports))}\n\n{text}'


def literal(schema: dict[str, Any]) -> str:
    words = schema.get("enum", [schema.get("const")])
    return f"Literal[{', '.join(map(repr, words))}]"


def _short(component: str) -> str:
    """`OrderView` is `Order`; a body keeps its name, since records and bodies differ."""
    return component.removesuffix("View") or component


def _names(text: str) -> list[str]:
    return re.findall(r"\b[A-Z]\w*\b", text)
