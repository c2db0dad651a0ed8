"""What `events` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from lootkeep_client.types.words import EventType


class Event(TypedDict):
    id: int
    event_type: EventType
    created_at: str
    data: Mapping[str, Any]


class EventFeed(TypedDict):
    events: Sequence[Event]
    next_cursor: int
    has_more: bool
