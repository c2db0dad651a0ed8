"""What the methods of `alerts` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Required, TypedDict

from lootkeep_client import types


class CreateAlert(TypedDict, total=False):
    """Create an alert."""

    name: Required[str]
    channel: Required[types.AlertChannel]
    target: Required[str]
    triggers: Required[Sequence[types.AlertTrigger]]
    amount: str | float | None
    minutes: int
    limit_per_hour: int
    muted_until: str | None


class UpdateAlert(TypedDict, total=False):
    """Update an alert."""

    name: str
    channel: types.AlertChannel
    target: str
    triggers: Sequence[types.AlertTrigger]
    amount: str | float | None
    minutes: int
    limit_per_hour: int
    muted_until: str | None
