"""The shapes in the OpenAPI document, told so plainly that programs can make clients of them."""

from __future__ import annotations

from typing import Any

import msgspec
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from lootkeep.api.http.envelope import Failure, Meta
from lootkeep.api.http.routes import Group, Route

Json = dict[str, Any]

_REF = "#/components/schemas/{name}"
# Where one shape holds others: one of them, or a list of them.
_BELOW = ("items", "additionalProperties")
_LISTED = ("anyOf", "oneOf", "allOf")
_ADDRESSES = ("ipv4", "ipv6")


def collected(groups: tuple[Group, ...]) -> Json:
    """Every shape by its name: what is answered, what is sent, and what stands behind a question mark."""
    routes = [route for group in groups for route in group.routes]
    views = list(dict.fromkeys(route.answer.view for route in routes if route.answer.view))
    _, answers = msgspec.json.schema_components([*views, Failure, Meta], ref_template=_REF)
    inputs: set[type[BaseModel]] = {model for route in routes for model in (route.body, route.query) if model}
    ordered = sorted(inputs, key=lambda model: model.__name__)
    _, bodies = models_json_schema(
        [(model, "validation") for model in ordered], ref_template="#/components/schemas/{model}"
    )
    shapes = {name: _plain(shape) for name, shape in {**answers, **bodies.get("$defs", {})}.items()}
    shapes["Failure"]["properties"]["success"] = {"const": False}
    return dict(sorted(shapes.items()))


def named(shapes: Json, groups: tuple[Group, ...]) -> Json:
    """Those that the document points to: a query is told by the parameters of its operation."""
    routes: list[Route] = [route for group in groups for route in group.routes]
    queries = {route.query.__name__ for route in routes if route.query}
    return {name: shape for name, shape in shapes.items() if name not in queries}


def without_null(shape: Json) -> Json:
    """A parameter of a query is there or it is not: nobody can send null."""
    kinds = [kind for kind in shape.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) == len(shape.get("anyOf", ())):
        return shape
    rest = {key: value for key, value in shape.items() if key != "anyOf"}
    return {**rest, "anyOf": kinds} if len(kinds) > 1 else {**kinds[0], **rest}


def _plain(shape: Json) -> Json:
    """The same shape with its type said wherever it can be known."""
    told = dict(shape)
    if "properties" in told:
        told["properties"] = {name: _field(below) for name, below in told["properties"].items()}
    for key in _BELOW:
        if isinstance(told.get(key), dict):
            told[key] = _plain(told[key])
    for key in _LISTED:
        if key in told:
            told[key] = [_plain(below) for below in told[key]]
    is_text = told.get("format") in _ADDRESSES or all(isinstance(value, str) for value in told.get("enum", (None,)))
    if is_text:
        told.setdefault("type", "string")
    if told.get("type") == "object" and "properties" not in told:
        told.setdefault("additionalProperties", True)
    return told


def _field(shape: Json) -> Json:
    """A field that may be left out has no default: null would be a change, and often a wrong one."""
    told = _plain(shape)
    told.pop("title", None)
    if told.get("default", ...) is None:
        del told["default"]
    return told
