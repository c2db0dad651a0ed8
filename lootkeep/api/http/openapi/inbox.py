"""The inbox in the OpenAPI document: it has no row in the route table, because it has a signature and no token."""

from __future__ import annotations

from lootkeep.api.http import errors
from lootkeep.api.http.openapi.schemas import Json, ref
from lootkeep.domain.payments.events import MAX_BODY
from lootkeep.domain.payments.sources import INBOX

PATH = f"{INBOX}{{source}}"

_OBJECT: Json = {"type": "object", "additionalProperties": True}
_RECEIVED: Json = {"success": True, "data": {"received": True}}
_REJECTED: Json = {
    "success": False,
    "error": errors.BAD_REQUEST.name,
    "code": "not_accepted",
    "message": "The event was not accepted: its source or its signature is not right.",
}


def operation() -> Json:
    return {
        "operationId": "receive_payment_event",
        "summary": "Receive an event of a payment provider",
        "description": "For Stripe and PayPal, at the `url` of a payment source. Needs no token: the provider's "
        "signature on the raw bytes is verified. A repeated event is answered the same and changes nothing.",
        "tags": ["Payments"],
        "security": [],
        "x-extension": True,
        "parameters": [
            {
                "name": "source",
                "in": "path",
                "required": True,
                "description": "The unguessable word of the source.",
                "schema": {"type": "string"},
                "example": "q3Zk",
            }
        ],
        "requestBody": {
            "description": f"The provider's event. At most {errors.as_size(MAX_BODY)}.",
            "required": True,
            "content": {"application/json": {"schema": _OBJECT, "example": {"id": "evt_1QzP7c"}}},
        },
        "responses": {
            "200": _answer("The event is stored.", _OBJECT, _RECEIVED),
            "400": _answer("The source or the signature is not right, or it is too old.", ref("Failure"), _REJECTED),
            "413": ref("PayloadTooLarge", "responses"),
            "429": ref("TooManyRequests", "responses"),
            "500": ref("ServerError", "responses"),
            "503": ref("ServiceUnavailable", "responses"),
        },
    }


def _answer(description: str, schema: Json, example: Json) -> Json:
    return {"description": description, "content": {"application/json": {"schema": schema, "example": example}}}
