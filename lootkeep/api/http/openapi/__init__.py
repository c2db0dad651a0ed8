"""The OpenAPI 3.1 document, generated from the route table and the views: every operation, event and response."""

from __future__ import annotations

from lootkeep.api.http.openapi import events, failures, inbox, operations, schemas
from lootkeep.api.http.openapi.schemas import Json
from lootkeep.api.http.routes import Group

_INTRODUCTION = """\
The JSON API of a Lootkeep store. Every call needs an access token: `Authorization: Bearer <token>`.

- **Envelope**: a success is `{success: true, data}`, an error is `{success: false, error, code, message}`; \
if fields are invalid, `errors` lists all of them.
- **Rate limit**: 60 requests per minute and token. The headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and \
`X-RateLimit-Reset` (Unix seconds) show the current state, `Retry-After` the seconds to wait after a 429 or 503.
- **Idempotency**: send an `Idempotency-Key` with a POST; a repeated request gets the stored response for 24 hours.
- **Unknown fields** and parameters are rejected by the Store API with 422; the External API ignores them and lists \
them in the header `X-Ignored-Fields`.
- **Tracing**: every response has an `X-Request-ID`, which is yours or generated.
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
        "paths": {**paths, inbox.PATH: {"post": inbox.operation()}},
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
                    "description": "An access token, created with `lootkeep token create`. Each operation lists the "
                    "scope it needs.",
                }
            },
        },
    }
