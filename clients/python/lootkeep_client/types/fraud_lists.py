"""What `fraud_lists` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, TypedDict


class FraudList(TypedDict):
    id: int
    name: str
    kind: Literal["country", "customer", "device", "domain", "email", "instrument", "ip", "player"]
    note: str | None
    entries_count: int
    created_at: str


class ListEntry(TypedDict):
    value: str
    reason: str | None
    added_by: int
    expires_at: str | None
    created_at: str
