"""The schemas in the OpenAPI document, in plain JSON Schema that generators can use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from lootkeep.api.http.envelope import Failure, Meta
from lootkeep.api.http.openapi import enums
from lootkeep.api.http.routes import Group, ResponseShape, Route

Json = dict[str, Any]

_REF = "#/components/schemas/{name}"
# pydantic has its own keywords for the bounds of a value that is parsed first.
_BOUNDS = {"ge": "minimum", "le": "maximum"}


def ref(name: str, kind: str = "schemas") -> Json:
    return {"$ref": f"#/components/{kind}/{name}"}


def collected(groups: tuple[Group, ...], events: Iterable[type[msgspec.Struct]]) -> Json:
    """Every schema by name: responses, the data of events, bodies, queries and enums."""
    routes = _routes(groups)
    views = list(dict.fromkeys(route.answer.view for route in routes if route.answer.view))
    inputs: set[type[BaseModel]] = {model for route in routes for model in (route.body, route.query) if model}
    ordered = sorted(inputs, key=lambda model: model.__name__)
    _, bodies = models_json_schema(
        [(model, "validation") for model in ordered], ref_template="#/components/schemas/{model}"
    )
    inputs_by_name = {name: _plain(shape) for name, shape in bodies.get("$defs", {}).items()}
    shapes = {**of_views([*views, *events, Failure, Meta]), **inputs_by_name}
    shapes["Failure"]["properties"]["success"] = {"type": "boolean", "const": False}
    return dict(sorted(shapes.items()))


def of_views(views: Iterable[type[msgspec.Struct]]) -> Json:
    """The schemas of views and everything in them, and the enums."""
    _, components = msgspec.json.schema_components(views, ref_template=_REF)
    return {**{name: _plain(shape) for name, shape in components.items()}, **enums.components()}


def named(shapes: Json, groups: tuple[Group, ...]) -> Json:
    """The components: the parameters of an operation describe its query, and each response has an envelope."""
    routes = _routes(groups)
    queries = {route.query.__name__ for route in routes if route.query}
    envelopes = {envelope_name(route.answer): envelope(route.answer) for route in routes}
    return dict(sorted({name: shape for name, shape in {**shapes, **envelopes}.items() if name not in queries}.items()))


def envelope_name(answer: ResponseShape) -> str:
    subject = answer.view.__name__.removesuffix("View") if answer.view else ""
    kind = "Page" if answer.is_paged else "List" if answer.is_list else ""
    return f"{subject}{kind}{'Confirmation' if answer.message else 'Response'}"


def envelope(answer: ResponseShape) -> Json:
    """The envelope around the result of an operation."""
    properties: Json = {"success": {"type": "boolean", "const": True}}
    if answer.message:
        properties["message"] = {"type": "string", "description": "A message for people."}
    if answer.view:
        item = ref(answer.view.__name__)
        properties["data"] = {"type": "array", "items": item} if answer.is_list else item
    if answer.is_paged:
        properties["meta"] = ref("Meta")
    return {"type": "object", "required": list(properties), "properties": properties}


def without_null(shape: Json) -> Json:
    """A query parameter is present or absent: nobody can send null."""
    kinds = [kind for kind in shape.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) == len(shape.get("anyOf", ())):
        return shape
    rest = {key: value for key, value in shape.items() if key != "anyOf"}
    return {**rest, "anyOf": kinds} if len(kinds) > 1 else {**kinds[0], **rest}


def _routes(groups: tuple[Group, ...]) -> list[Route]:
    return [route for group in groups for route in group.routes]


def _plain(shape: Json) -> Json:
    """The same schema with its type added wherever it is known."""
    plain = {_BOUNDS.get(key, key): value for key, value in shape.items()}
    if "properties" in plain:
        plain["properties"] = {name: _field(below) for name, below in plain["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(plain.get(key), dict):
            plain[key] = _plain(plain[key])
    if "anyOf" in plain:
        plain["anyOf"] = [_plain(below) for below in plain["anyOf"]]
    if plain.get("anyOf") == [{"type": "integer"}, {"type": "number"}]:
        # Every integer is a number; two types would be a union in a generated client.
        del plain["anyOf"]
        plain["type"] = "number"
    if plain.get("type") == "object" and "properties" not in plain:
        plain.setdefault("additionalProperties", True)
    return _with_named_enum(plain)


def _with_named_enum(shape: Json) -> Json:
    words = shape.get("enum")
    if not words:
        return shape
    if name := enums.name_of(words):
        return {**ref(name), **{key: value for key, value in shape.items() if key not in ("enum", "type", "title")}}
    return {"type": "string", **shape}


def _field(shape: Json) -> Json:
    """An optional field has no default: null would be a change, and often a wrong one."""
    plain = _plain(shape)
    plain.pop("title", None)
    if plain.get("default", ...) is None:
        del plain["default"]
    return plain
