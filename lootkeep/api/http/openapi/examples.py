"""An example value of a JSON schema, built from the examples of its fields."""

from __future__ import annotations

from typing import Any

_BY_TYPE: dict[str, Any] = {"string": "text", "integer": 1, "number": 1, "boolean": True, "null": None}


def example_of(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """The field's own example takes precedence, then its default, then a value of the right type."""
    if "$ref" in schema:
        target = schemas[schema["$ref"].rsplit("/", 1)[1]]
        # The example next to a reference to an object may have only some of its fields.
        overrides: dict[str, Any] = {
            key: schema[key] for key in ("examples", "default") if key in schema and "enum" in target
        }
        return example_of({**target, **overrides}, schemas)
    if "const" in schema:
        return schema["const"]
    if "examples" in schema:
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0], schemas)
    if "properties" in schema:
        return {
            name: example_of(field, schemas)
            for name, field in schema["properties"].items()
            if _is_in_example(name, field, schema)
        }
    if schema.get("type") == "array":
        return [example_of(schema["items"], schemas)]
    kinds = schema.get("type", "")
    return {} if kinds == "object" else _BY_TYPE.get(kinds[0] if isinstance(kinds, list) else kinds, "text")


def _is_in_example(name: str, field: dict[str, Any], schema: dict[str, Any]) -> bool:
    """An example has the required fields and those with their own example, not every option."""
    return name in schema.get("required", ()) or "examples" in field
