"""The operations of the OpenAPI document: parameters, bodies and responses, generated from the route table."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable

from lootkeep.api.http import errors
from lootkeep.api.http.openapi import failures, schemas
from lootkeep.api.http.openapi.client_names import client_method
from lootkeep.api.http.openapi.examples import example_of
from lootkeep.api.http.openapi.schemas import Json, ref
from lootkeep.api.http.router import IDENTIFIERS
from lootkeep.api.http.routes import Group, ResponseShape, Route

IGNORED_FIELDS = "X-Ignored-Fields"
_OF_PAGES: Json = {
    "Link": {
        "description": "The `first`, `prev`, `next` and `last` page, as in RFC 8288; absent if the query is longer "
        "than 500 characters.",
        "schema": {"type": "string"},
    },
    "X-Total-Count": {"description": "The same as `meta.total`.", "schema": {"type": "integer"}},
}
HEADERS: Json = {
    "X-RateLimit-Limit": {"description": "Requests allowed per minute.", "schema": {"type": "integer"}},
    "X-RateLimit-Remaining": {"description": "Requests left in this minute.", "schema": {"type": "integer"}},
    "X-RateLimit-Reset": {
        "description": "When the oldest request leaves the window, in Unix seconds.",
        "schema": {"type": "integer"},
    },
    "X-Request-ID": {"description": "The id of this request.", "schema": {"type": "string"}},
    IGNORED_FIELDS: {
        "description": "The unknown fields and parameters that were ignored, separated by commas; absent if there are "
        "none.",
        "schema": {"type": "string"},
    },
    **_OF_PAGES,
}


def paths(groups: tuple[Group, ...], shapes: Json) -> tuple[Json, Json]:
    """Every operation by path, and the parameters that several of them share, by name."""
    parameters = {route: _parameters(route, shapes) for group in groups for route in group.routes}
    shared = _shared(parameters.values())
    by_path: dict[str, Json] = {}
    for group in groups:
        for route in group.routes:
            operation = _operation(
                group, route, shapes, [_or_ref(parameter, shared) for parameter in parameters[route]]
            )
            by_path.setdefault(group.prefix + route.path, {})[route.method.lower()] = operation
    return by_path, shared


def _shared(lists: Iterable[list[Json]]) -> Json:
    """For each name the form that most operations use, if more than one does; the others stay inline."""
    forms = Counter(json.dumps(parameter) for parameters in lists for parameter in parameters)
    shared: Json = {}
    for form, count in forms.most_common():
        parameter = json.loads(form)
        if count > 1:
            shared.setdefault(parameter["name"], parameter)
    return dict(sorted(shared.items()))


def _or_ref(parameter: Json, shared: Json) -> Json:
    name = parameter["name"]
    return ref(name, "parameters") if shared.get(name) == parameter else parameter


def _operation(group: Group, route: Route, shapes: Json, parameters: list[Json]) -> Json:
    operation: Json = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "description": route.description,
        "tags": [group.name],
        "security": [{"bearerAuth": [scope]} for scope in (route.scope, route.other_scope) if scope],
    }
    if route.is_extension:
        operation["x-extension"] = True
    operation["x-client-method"] = client_method(group.prefix, route)
    if parameters:
        operation["parameters"] = parameters
    if route.body:
        schema = ref(route.body.__name__)
        operation["requestBody"] = {
            "description": f"At most {errors.as_size(route.max_body)}.",
            "required": bool(shapes[route.body.__name__].get("required")),
            "content": {"application/json": {"schema": schema, "example": example_of(schema, shapes)}},
        }
    answers = [route.answer, route.answer.again()] if route.answer.repeated else [route.answer]
    operation["responses"] = {
        **{str(answer.status): _success(answer, shapes, is_strict=route.is_strict) for answer in answers},
        **failures.refs(route),
    }
    return operation


def _parameters(route: Route, shapes: Json) -> list[Json]:
    parameters = [_path_parameter(name) for name in re.findall(r"{(\w+)}", route.path)]
    if route.query:
        schema = shapes[route.query.__name__]
        for name, prop in schema.get("properties", {}).items():
            parameter = {"name": name, "in": "query", "required": name in schema.get("required", ())}
            shape = schemas.without_null({key: value for key, value in prop.items() if key != "description"})
            parameters.append({**parameter, "description": prop.get("description", ""), "schema": shape})
    if route.method == "POST":
        parameters.append(_IDEMPOTENCY_KEY)
    return parameters


def _path_parameter(name: str) -> Json:
    schema: Json = {"type": "integer", "format": "int64", "minimum": 1} if name in IDENTIFIERS else {"type": "string"}
    description = "The id of the record." if name == "id" else f"The {name.replace('_', ' ')}."
    example = 3 if name in IDENTIFIERS else name
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
        "example": example,
    }


_IDEMPOTENCY_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes it safe to repeat the request: the stored response is replayed for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "example": "checkout-1001",
}


def _success(answer: ResponseShape, shapes: Json, *, is_strict: bool) -> Json:
    example = example_of(schemas.envelope(answer), shapes)
    if answer.message:
        example["message"] = answer.message
    return {
        "description": answer.message or "Success.",
        "headers": {name: ref(name, "headers") for name in HEADERS if name not in _absent(answer, is_strict=is_strict)},
        "content": {"application/json": {"schema": ref(schemas.envelope_name(answer)), "example": example}},
    }


def _absent(answer: ResponseShape, *, is_strict: bool) -> set[str]:
    return ({IGNORED_FIELDS} if is_strict else set()) | (set() if answer.is_paged else set(_OF_PAGES))
