"""What `alerts` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lootkeep_client.types.words import AlertChannel, AlertTrigger


class Alert(TypedDict):
    id: int
    name: str
    channel: AlertChannel
    target: str
    triggers: Sequence[AlertTrigger]
    amount: str | None
    minutes: int
    limit_per_hour: int
    muted_until: str | None
    last_sent_at: str | None
    error: str | None
    created_at: str
    updated_at: str
