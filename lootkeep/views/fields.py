"""How a field of a view is described: the OpenAPI document takes its words and examples from here."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta


def field(description: str, example: Any) -> Meta:
    return Meta(description=description, examples=[example])


Time = Annotated[datetime, field("When, in UTC.", "2026-11-15T10:30:00Z")]

# Stored as JSON and answered as stored: every number keeps the digits it was sent with.
Metadata = Annotated[
    msgspec.Raw,
    Meta(
        description="The store's own notes.",
        examples=[{"rarity": "epic", "level": 40}],
        extra_json_schema={
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        },
    ),
]
