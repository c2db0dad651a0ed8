"""What the methods of `alerts` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict


class CreateAlert(TypedDict, total=False):
    """Create an alert."""

    name: Required[str]
    channel: Required[Literal["discord", "slack", "email", "webhook"]]
    target: Required[str]
    triggers: Required[
        Sequence[Literal["order_held", "order_blocked", "ticket_created", "receiver_failing", "backlog"]]
    ]
    amount: str | None
    minutes: int
    limit_per_hour: int
    muted_until: str | None


class UpdateAlert(TypedDict, total=False):
    """Update an alert."""

    name: str
    channel: Literal["discord", "slack", "email", "webhook"]
    target: str
    triggers: Sequence[Literal["order_held", "order_blocked", "ticket_created", "receiver_failing", "backlog"]]
    amount: str | None
    minutes: int
    limit_per_hour: int
    muted_until: str | None
