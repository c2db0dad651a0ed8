"""Descriptions and examples of the fields of views, for the OpenAPI document."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from lootkeep.domain.events import EVENT_TYPES


def field(description: str, example: Any) -> Meta:
    return Meta(description=description, examples=[example])


# Always in UTC: only a time with a zone is a `date-time` in JSON Schema.
Moment = Annotated[datetime, Meta(tz=True)]
Time = Annotated[Moment, field("When, in UTC.", "2026-11-15T10:30:00Z")]

EventType = Annotated[str, Meta(extra_json_schema={"enum": [*EVENT_TYPES]})]

# Stored as JSON and returned as stored: every number keeps its digits.
Metadata = Annotated[
    msgspec.Raw,
    Meta(
        description="Custom data of the store.",
        examples=[{"rarity": "epic", "level": 40}],
        extra_json_schema={
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        },
    ),
]
