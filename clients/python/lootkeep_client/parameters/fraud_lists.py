"""What the methods of `fraud_lists` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict


class CreateFraudList(TypedDict, total=False):
    """Create a list."""

    name: Required[str]
    kind: Required[Literal["email", "domain", "ip", "device", "instrument", "player", "country", "customer"]]
    note: str | None


class ListFraudListEntries(TypedDict, total=False):
    """List the entries of a list."""

    page: int
    per_page: int
    value: str


class AddFraudListEntries(TypedDict, total=False):
    """Add entries to a list."""

    values: Required[Sequence[str]]
    reason: str | None
    expires_at: str | None


class RemoveFraudListEntry(TypedDict, total=False):
    """Remove an entry from a list."""

    value: Required[str]
