"""What `alerts` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict


class Alert(TypedDict):
    id: int
    name: str
    channel: Literal["discord", "email", "slack", "webhook"]
    target: str
    triggers: Sequence[Literal["backlog", "order_blocked", "order_held", "receiver_failing", "ticket_created"]]
    amount: str | None
    minutes: int
    limit_per_hour: int
    muted_until: str | None
    last_sent_at: str | None
    error: str | None
    created_at: str
    updated_at: str
