"""The shapes of the OpenAPI document: plain JSON Schema, each said once, so that tools and generators like them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from lootkeep import wiring
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.webhooks import TEST_EVENT
from lootkeep.views.events import DATA
from tests.api.openapi import DOCUMENT, Json, content_of, faults

SCHEMAS: Json = DOCUMENT["components"]["schemas"]
# JSON Schema 2020-12, as far as it is used here.
KEYWORDS = {
    *("$ref", "type", "format", "enum", "const", "default", "description", "title", "examples"),
    *("anyOf", "properties", "required", "additionalProperties", "items"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems"),
    *("maxProperties", "propertyNames"),
}


def test_every_field_is_described() -> None:
    silent = [
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, shape in schema.get("properties", {}).items()
        if not any(
            "description" in part or "$ref" in part for part in (shape, shape.get("items", {}), *shape.get("anyOf", ()))
        )
        and field != "success"
    ]
    assert silent == []


def shapes(node: Any, path: str = "") -> Iterator[tuple[str, Json]]:
    """Everything in the document that may be a shape, with the way there."""
    if isinstance(node, dict):
        yield path, node
    below = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, part in below:
        if name not in ("example", "examples"):
            yield from shapes(part, f"{path}/{name}")


def test_every_schema_has_a_type() -> None:
    vague = [
        path
        for path, shape in shapes(DOCUMENT)
        if ("enum" in shape and shape.get("type") != "string")
        or (shape.get("type") == "object" and not {"properties", "additionalProperties"} & shape.keys())
    ]
    assert vague == []


def test_no_schema_is_unreferenced() -> None:
    pointed = {shape["$ref"].rsplit("/", 1)[1] for _, shape in shapes(DOCUMENT) if "$ref" in shape}
    assert sorted(DOCUMENT["components"]["schemas"].keys() - pointed) == []


def schemas(node: Any, path: str = "") -> Iterator[tuple[str, Json]]:
    """Every schema in the document: components, and whatever is under the word `schema`."""
    yield from ((f"{path}/{name}", schema) for name, schema in SCHEMAS.items())
    yield from ((path, node["schema"]) for path, node in shapes(node) if "schema" in node)


def below(schema: Json, path: str) -> Iterator[tuple[str, Json]]:
    """A schema and all that it holds."""
    yield path, schema
    for name, field in schema.get("properties", {}).items():
        yield from below(field, f"{path}/{name}")
    parts = [*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")]
    for part in parts:
        if isinstance(part, dict):
            yield from below(part, path)


EVERY_SCHEMA = [part for path, schema in schemas(DOCUMENT) for part in below(schema, path)]


def test_no_schema_uses_a_keyword_outside_json_schema() -> None:
    assert [(path, word) for path, schema in EVERY_SCHEMA for word in schema.keys() - KEYWORDS] == []


def views() -> list[type[msgspec.Struct]]:
    answers = {route.answer.view for group in wiring.groups() for route in group.routes if route.answer.view}
    return sorted({*answers, *(row.view for row in DATA.values())}, key=lambda view: view.__name__)


def test_every_time_in_a_view_is_a_date_time() -> None:
    def kinds(kind: Any) -> Iterator[Any]:
        yield kind
        for part in (*getattr(kind, "types", ()), getattr(kind, "item_type", None), getattr(kind, "type", None)):
            if isinstance(part, msgspec.inspect.Type):
                yield from kinds(part)

    for view in views():
        info = msgspec.inspect.type_info(view)
        assert isinstance(info, msgspec.inspect.StructType)
        times = {
            field.encode_name
            for field in info.fields
            if any(isinstance(kind, msgspec.inspect.DateTimeType) for kind in kinds(field.type))
        }
        formatted = {
            name
            for name, schema in SCHEMAS[view.__name__]["properties"].items()
            if any(part.get("format") == "date-time" for _, part in below(schema, ""))
        }
        assert (view.__name__, formatted) == (view.__name__, times)


def test_a_field_that_ends_in_at_is_a_date_time() -> None:
    named = [(path, schema) for path, schema in EVERY_SCHEMA if path.endswith("_at") and schema.get("type") == "string"]
    assert [path for path, schema in named if schema.get("format") != "date-time"] == []
    assert len(named) > 50


def test_no_enum_and_no_object_is_written_out_twice() -> None:
    inline = Counter(json.dumps(schema["enum"]) for path, schema in EVERY_SCHEMA if "enum" in schema)
    assert [words for words, count in inline.items() if count > 1] == []
    in_operations = [path for path, node in shapes(DOCUMENT["paths"]) if "properties" in node]
    assert in_operations == []


def test_values_that_clients_compare_with_are_named_enums() -> None:
    assert SCHEMAS["EventType"]["enum"] == list(EVENT_TYPES)
    assert SCHEMAS["RiskLevel"]["enum"] == list(get_args(RiskLevel))
    assert SCHEMAS["FraudDecision"]["enum"] == list(get_args(Action))
    for view in ("FraudCheckView", "OrderFraudView", "OrderCheckView", "ExplanationView"):
        fields = SCHEMAS[view]["properties"]
        assert fields["risk_level"]["$ref"].endswith("/RiskLevel")
        assert fields["action_taken"]["$ref"].endswith("/FraudDecision")


def test_an_ip_is_a_string_and_an_amount_a_string_or_a_number() -> None:
    assert SCHEMAS["IpBody"]["properties"]["ip"]["type"] == "string"
    assert SCHEMAS["RedeemBody"]["properties"]["amount"]["type"] == ["string", "number"]
    choices = [schema["anyOf"] for _, schema in EVERY_SCHEMA if "anyOf" in schema]
    kinds = [[part.get("type") for part in choice if part.get("type") != "null"] for choice in choices]
    # `assigned_to` is a user's id, `me` or `none`.
    assert [kind for kind in kinds if len(kind) > 1] == [["integer", "string"]]


def test_an_event_has_its_payload_with_an_example_that_its_schema_accepts() -> None:
    for event_type in (*EVENT_TYPES, TEST_EVENT):
        body = content_of(DOCUMENT["webhooks"][event_type]["post"]["requestBody"])
        assert (event_type, faults(body["example"], body["schema"])) == (event_type, [])
        assert body["example"]["event_type"] == event_type
        assert list(body["example"]["data"]) == list(DATA[event_type].view.__struct_fields__), event_type
        assert faults(body["example"] | {"event_type": "order.lost"}, body["schema"]), event_type


def test_there_is_one_webhook_for_each_event_and_no_other() -> None:
    assert list(DOCUMENT["webhooks"]) == [*EVENT_TYPES, TEST_EVENT] == list(DATA)
