"""Replays: recorded events sent again to one webhook, in order and at a pace."""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import Instant


class Replay(msgspec.Struct, frozen=True):
    id: int
    webhook_id: int
    since: Instant
    event_types: str
    last_event_id: int
    cursor: int
    total: int
    done: int
    created_at: Instant
    finished_at: Instant | None
