"""What the methods of `fraud_rules` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict


class CreateFraudRule(TypedDict, total=False):
    """Create a rule."""

    name: Required[str]
    expression: Required[str]
    action: Required[Literal["allow", "block", "verify", "flag", "points"]]
    points: int
    mode: Literal["off", "shadow", "on"]
    note: str | None
    expires_at: str | None


class UpdateFraudRule(TypedDict, total=False):
    """Update a rule."""

    name: str
    expression: str
    action: Literal["allow", "block", "verify", "flag", "points"]
    points: int
    mode: Literal["off", "shadow", "on"]
    note: str | None
    expires_at: str | None
