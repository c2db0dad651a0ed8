"""The `webhooks` section of the OpenAPI document: what a receiver gets for each event type."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from lootkeep.api.http.openapi import schemas
from lootkeep.api.http.openapi.examples import example_of
from lootkeep.api.http.openapi.schemas import Json, ref
from lootkeep.domain import deliveries as deliveries_rules
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.domain.webhooks import TEST_EVENT
from lootkeep.views.events import DATA

TAG = "Events"
DESCRIPTION = (
    "Events sent to webhooks. A delivery is retried until it gets a 2xx response, so an event can arrive more than "
    "once, always with the same `id` and the same bytes."
)

_TYPES = {**EVENT_TYPES, TEST_EVENT: "A test was requested with `POST /webhooks/{id}/test`; it is not retried."}

_DELIVERY_ID = "wh_6f1c9a52-0d6e-4b6e-9a55-0c3f1d2b7a10"
_TIME = "2026-11-15T10:30:00Z"
_HEADERS = {
    "X-Webhook-Signature": ("HMAC SHA-256 of the body in hex; the key is the secret.", "5f2b"),
    "X-Webhook-Event": ("The type of the event.", "order.paid"),
    "X-Webhook-ID": ("Identifies the delivery; the same for each attempt.", _DELIVERY_ID),
    "webhook-id": ("The same, for Standard Webhooks libraries.", _DELIVERY_ID),
    "webhook-timestamp": ("When it is sent, in Unix seconds.", "1794738600"),
    "webhook-signature": ("The signatures of Standard Webhooks, separated by spaces.", "v1,K5oZfzN95Z9UVu1EsfQm"),
}


def views() -> list[type[msgspec.Struct]]:
    return [row.view for row in DATA.values()]


def section(shapes: Json) -> Json:
    return {event_type: {"post": _operation(event_type, shapes)} for event_type in DATA}


def components() -> Json:
    """The body of a delivery of each type."""
    return {_body_name(event_type): _body(event_type) for event_type in DATA}


def parameters() -> Json:
    """The headers of every delivery."""
    return {
        name: {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": {"type": "string"},
            "example": example,
        }
        for name, (description, example) in _HEADERS.items()
    }


def _operation(event_type: str, shapes: Json) -> Json:
    schema = ref(_body_name(event_type))
    example = _example(event_type, shapes)
    return {
        "operationId": f"on_{event_type.replace('.', '_')}",
        "summary": event_type,
        "description": _TYPES[event_type],
        "tags": [TAG],
        # A receiver verifies the signature; requests to it carry no token.
        "security": [],
        "parameters": [ref(name, "parameters") for name in _HEADERS],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema, "example": example}},
        },
        "responses": {
            "2XX": {"description": "The delivery was received."},
            "default": {
                "description": "Any other status, or no response within "
                f"{deliveries_rules.DEADLINE_SECONDS} seconds, is a failure and is retried."
            },
        },
    }


@cache
def examples() -> Json:
    """The delivery of each type that a webhook can subscribe to."""
    shapes = {**schemas.of_views(views()), **components()}
    return {event_type: _example(event_type, shapes) for event_type in EVENT_TYPES}


def _example(event_type: str, shapes: Json) -> Json:
    example: Json = example_of(ref(_body_name(event_type)), shapes)
    example["data"] |= DATA[event_type].example
    return example


def _body_name(event_type: str) -> str:
    return "".join(word.capitalize() for word in re.split("[._]", event_type)) + "Delivery"


def _body(event_type: str) -> Json:
    """The four keys of `domain.deliveries.body`."""
    properties = {
        "id": {"type": "string", "description": "Identifies the delivery.", "examples": [_DELIVERY_ID]},
        "event_type": {"type": "string", "const": event_type, "description": "What happened."},
        "created_at": {
            "type": "string",
            "format": "date-time",
            "description": "When it happened, in UTC.",
            "examples": [_TIME],
        },
        "data": ref(DATA[event_type].view.__name__),
    }
    return {"type": "object", "required": list(properties), "properties": properties}
