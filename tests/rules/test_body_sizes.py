"""Each row reads as much body as its fields can need, and no more."""

from __future__ import annotations

from typing import Any

from lootkeep import wiring
from lootkeep.api.http.routes import MAX_BODY, MAX_HUGE_BODY, MAX_LARGE_BODY

Json = dict[str, Any]

# Of a character in UTF-8.
WIDEST = 4
NUMBER = 24
# A text whose own rules bound it, such as an amount or a URL.
SHORT = 2048


def largest(shape: Json, others: Json) -> int:
    """How many bytes a value that the schema accepts can take, roughly."""
    if "$ref" in shape:
        return largest(others[shape["$ref"].rsplit("/", 1)[1]], others)
    if "anyOf" in shape:
        return max(largest(choice, others) for choice in shape["anyOf"])
    if "properties" in shape:
        return sum(len(name) + largest(field, others) for name, field in shape["properties"].items())
    if "enum" in shape:
        return max(len(str(value)) for value in shape["enum"])
    if shape.get("type") == "array":
        return int(shape["maxItems"] * largest({"maxLength": 16, **shape["items"]}, others))
    if shape.get("type") in ("integer", "number", "boolean", "null"):
        return NUMBER
    return WIDEST * shape["maxLength"] if "maxLength" in shape else SHORT


def _limit(needed: int) -> int:
    """A list of many long texts is rarely as long as it may be, and never short."""
    if needed <= MAX_BODY:
        return MAX_BODY
    return MAX_LARGE_BODY if needed <= 2 * MAX_HUGE_BODY else MAX_HUGE_BODY


def test_a_row_reads_more_than_usual_only_where_its_fields_can_hold_more() -> None:
    rows = [route for group in wiring.groups() for route in group.routes if route.body]
    schemas = {route: route.body.model_json_schema() for route in rows if route.body}
    needed = {route: largest(schema, schema.get("$defs", {})) for route, schema in schemas.items()}
    wrong = {
        f"{route.method} {route.path}": f"can need {needed[route]} bytes and reads {route.max_body}"
        for route in rows
        if route.max_body != _limit(needed[route])
    }
    assert wrong == {}
