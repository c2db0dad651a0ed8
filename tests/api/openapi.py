"""The OpenAPI document as tests read it: operations, examples, and where an answer departs from its schema."""

from __future__ import annotations

import re
from typing import Any

from openapi_schema_validator import OAS31Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from lootkeep import wiring
from lootkeep.api.http.routes import Route

Json = dict[str, Any]

DOCUMENT = wiring.document()

_ADDRESS = "urn:openapi"

_REGISTRY: Registry[Any] = Registry().with_resource(_ADDRESS, Resource.from_contents(DOCUMENT, DRAFT202012))

ALL_ROWS = [(group.prefix, route) for group in wiring.groups() for route in group.routes]


def operation(prefix: str, route: Route) -> Json:
    operation: Json = DOCUMENT["paths"][prefix + route.path][route.method.lower()]
    return operation


def faults(value: Any, schema: Json) -> list[str]:
    """The errors of a value according to a schema of the document."""
    absolute = _absolute(schema)
    return [error.message for error in OAS31Validator(absolute, registry=_REGISTRY).iter_errors(value)]


def _absolute(schema: Any) -> Any:
    """The schema with its references pointing into the document, wherever it is looked at."""
    if isinstance(schema, dict):
        return {
            key: _ADDRESS + value if key == "$ref" and str(value).startswith("#") else _absolute(value)
            for key, value in schema.items()
        }
    return [_absolute(item) for item in schema] if isinstance(schema, list) else schema


def resolved(part: Json) -> Json:
    """The component that a response or a parameter refers to."""
    if "$ref" in part:
        _, _, kind, name = part["$ref"].split("/")
        component: Json = DOCUMENT["components"][kind][name]
        return component
    return part


def parameters_of(prefix: str, route: Route) -> list[Json]:
    return [resolved(parameter) for parameter in operation(prefix, route).get("parameters", [])]


def content_of(part: Json) -> Json:
    media_type: Json = part["content"]["application/json"]
    return media_type


def path_of(prefix: str, route: Route, record_id: int) -> str:
    return prefix + re.sub(r"{\w+}", str(record_id), route.path)


def example_body(prefix: str, route: Route) -> Any:
    return content_of(operation(prefix, route)["requestBody"])["example"] if route.body else None
