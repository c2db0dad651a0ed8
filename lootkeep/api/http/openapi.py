"""The OpenAPI 3.1 document, made from the route table: scopes, bodies, every answer, with examples."""

from __future__ import annotations

import re
from typing import Any

from lootkeep.api.http import errors, schemas
from lootkeep.api.http.errors import Status
from lootkeep.api.http.examples import example_of
from lootkeep.api.http.routes import MAX_BODY, Answer, Group, Route

Json = dict[str, Any]

_INTRODUCTION = """\
The JSON API of a Lootkeep store. Every call needs an access token: `Authorization: Bearer <token>`.

- **Envelope**: success is `{success: true, data}`, failure is `{success: false, error, code, message}`; \
when fields are at fault, `errors` names every one of them.
- **Limits**: 60 requests a minute per token. `X-RateLimit-Limit`, `X-RateLimit-Remaining` and \
`X-RateLimit-Reset` (Unix seconds) tell where you stand, `Retry-After` how long to wait after a 429 or 503.
- **Repeating safely**: send an `Idempotency-Key` with a POST; sent again within 24 hours it gets the stored answer.
- **Tracing**: `X-Request-ID` is taken from the request or made, and comes back with every answer.
- **Times** are UTC (`2026-11-15T10:30:00Z`), **amounts** are strings with two decimals.
"""

_IDEMPOTENCY_KEY: Json = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes it safe to send the request again: the stored answer is replayed for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "example": "checkout-1001",
}

_HEADERS: Json = {
    "X-RateLimit-Limit": {"description": "Requests allowed in a minute.", "schema": {"type": "integer"}},
    "X-RateLimit-Remaining": {"description": "Requests left in this minute.", "schema": {"type": "integer"}},
    "X-RateLimit-Reset": {"description": "When there is room again, in Unix seconds.", "schema": {"type": "integer"}},
    "X-Request-ID": {"description": "The name of this request.", "schema": {"type": "string"}},
}

# What each failure means, and when an operation can answer it.
_FAILURES: dict[str, tuple[Status, str, str, str]] = {
    "Unauthorized": (
        errors.UNAUTHORIZED,
        "unauthorized",
        "The token is missing or not valid.",
        errors.Unauthorized().message,
    ),
    "Forbidden": (
        errors.FORBIDDEN,
        "forbidden",
        "The token lacks the scope.",
        errors.Forbidden("referrals:write").message,
    ),
    "NotFound": (errors.NOT_FOUND, "not_found", "The addressed thing does not exist.", "Referral tier not found."),
    "Conflict": (
        errors.CONFLICT,
        "idempotency_key_in_use",
        "The state of the thing, or a running request with the same key, forbids it.",
        "A request with this Idempotency-Key is still running.",
    ),
    "PayloadTooLarge": (
        errors.PAYLOAD_TOO_LARGE,
        "payload_too_large",
        "The body is larger than the operation accepts.",
        errors.PayloadTooLarge(MAX_BODY).message,
    ),
    "UnsupportedMediaType": (
        errors.UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        "The body is not application/json.",
        errors.UnsupportedMediaType().message,
    ),
    "ValidationError": (
        errors.VALIDATION_ERROR,
        "validation_failed",
        "Fields are at fault (`Validation Error`), or the body or the deed is not acceptable (`Unprocessable`).",
        "The given data was invalid.",
    ),
    "TooManyRequests": (
        errors.TOO_MANY_REQUESTS,
        "rate_limited",
        "The rate limit is exceeded; `Retry-After` tells how many seconds to wait.",
        errors.TooManyRequests(12).message,
    ),
    "ServerError": (errors.SERVER_ERROR, "server_error", "A fault of ours.", errors.ServerError().message),
    "ServiceUnavailable": (
        errors.SERVICE_UNAVAILABLE,
        "service_unavailable",
        "Something the service leans on is gone for now (`service_unavailable`), or more is asked than can be answered "
        "in time and this request was not begun (`overloaded`); `Retry-After` gives the seconds to wait.",
        "The service is temporarily unavailable. Please try again shortly.",
    ),
}


def document(groups: tuple[Group, ...], version: str) -> Json:
    shapes = schemas.collected(groups)
    paths: dict[str, Json] = {}
    for group in groups:
        for route in group.routes:
            path = paths.setdefault(group.prefix + route.path, {})
            path[route.method.lower()] = _operation(group, route, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lootkeep",
            "version": version,
            "description": _INTRODUCTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": group.name, "description": group.description} for group in groups],
        "paths": paths,
        "components": {
            "schemas": schemas.named(shapes, groups),
            "responses": {name: _failure(*row) for name, row in _FAILURES.items()},
            "headers": _HEADERS,
            "securitySchemes": {
                "bearerAuth": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An access token, made with `lootkeep token create`. "
                    "The scope an operation needs is listed with it.",
                }
            },
        },
    }


def _operation(group: Group, route: Route, shapes: Json) -> Json:
    operation: Json = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "tags": [group.name],
        "security": [{"bearerAuth": [route.scope]}],
    }
    if route.description:
        operation["description"] = route.description
    if route.is_extension:
        operation["x-extension"] = True
    if parameters := _parameters(route, shapes):
        operation["parameters"] = parameters
    if route.body:
        content = {"schema": _ref(route.body.__name__), "example": example_of(_ref(route.body.__name__), shapes)}
        operation["requestBody"] = {
            "description": f"At most {errors.as_size(route.max_body)}.",
            "required": bool(shapes[route.body.__name__].get("required")),
            "content": {"application/json": content},
        }
    answers = [route.answer, route.answer.again()] if route.answer.repeated else [route.answer]
    operation["responses"] = {
        **{str(answer.status): _success(answer, shapes) for answer in answers},
        **{str(_FAILURES[name][0].code): {"$ref": f"#/components/responses/{name}"} for name in failures_of(route)},
    }
    return operation


def failures_of(route: Route) -> list[str]:
    """The failures an operation can answer, from what its row says."""
    names = ["Unauthorized", "Forbidden"]
    if "{" in route.path:
        names.append("NotFound")
    if route.method == "POST" or route.may_conflict:
        names.append("Conflict")
    if route.body:
        names += ["PayloadTooLarge", "UnsupportedMediaType"]
    if route.body or route.query or route.method == "POST":
        names.append("ValidationError")
    return [*names, "TooManyRequests", "ServerError", "ServiceUnavailable"]


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
    schema: Json = {"type": "integer", "format": "int64", "minimum": 1} if name == "id" else {"type": "string"}
    return {"name": name, "in": "path", "required": True, "schema": schema, "example": 3 if name == "id" else name}


def _success(answer: Answer, shapes: Json) -> Json:
    properties: Json = {"success": {"const": True}}
    if answer.message:
        properties["message"] = {"type": "string", "examples": [answer.message]}
    if answer.view:
        item = _ref(answer.view.__name__)
        properties["data"] = {"type": "array", "items": item} if answer.is_list else item
    if answer.is_paged:
        properties["meta"] = _ref("Meta")
    schema = {"type": "object", "required": list(properties), "properties": properties}
    content = {"schema": schema, "example": example_of(schema, shapes)}
    return {
        "description": answer.message or "Success.",
        "headers": {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS},
        "content": {"application/json": content},
    }


def _failure(status: Status, code: str, description: str, message: str) -> Json:
    example: Json = {"success": False, "error": status.name, "code": code, "message": message}
    if code == "validation_failed":
        example["errors"] = {"name": ["The name field is required."]}
    return {
        "description": description,
        "content": {"application/json": {"schema": _ref("Failure"), "example": example}},
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}
