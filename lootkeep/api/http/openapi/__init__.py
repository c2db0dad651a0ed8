"""The OpenAPI 3.1 document, made from the route table and the views: every operation, event and answer."""

from __future__ import annotations

from lootkeep.api.http.openapi import events, failures, operations, schemas
from lootkeep.api.http.openapi.schemas import Json
from lootkeep.api.http.routes import Group

_INTRODUCTION = """\
The JSON API of a Lootkeep store. Every call needs an access token: `Authorization: Bearer <token>`.

- **Envelope**: success is `{success: true, data}`, failure is `{success: false, error, code, message}`; \
when fields are at fault, `errors` names every one of them.
- **Limits**: 60 requests a minute per token. `X-RateLimit-Limit`, `X-RateLimit-Remaining` and \
`X-RateLimit-Reset` (Unix seconds) tell where you stand, `Retry-After` how long to wait after a 429 or 503.
- **Repeating safely**: send an `Idempotency-Key` with a POST; sent again within 24 hours it gets the stored answer.
- **Tracing**: `X-Request-ID` is taken from the request or made, and comes back with every answer.
- **Times** are UTC (`2026-11-15T10:30:00Z`), **amounts** are strings with two decimals; \
a body may also send a number.
"""


def document(groups: tuple[Group, ...], version: str) -> Json:
    shapes = {**schemas.collected(groups, events.views()), **events.components()}
    paths, parameters = operations.paths(groups, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lootkeep",
            "version": version,
            "description": _INTRODUCTION,
            "contact": {"name": "The people who run this store"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [
            *({"name": group.name, "description": group.description} for group in groups),
            {"name": events.TAG, "description": events.DESCRIPTION},
        ],
        "paths": paths,
        "webhooks": events.section(shapes),
        "components": {
            "schemas": schemas.named(shapes, groups),
            "parameters": {**parameters, **events.parameters()},
            "responses": failures.responses(),
            "headers": operations.HEADERS,
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
