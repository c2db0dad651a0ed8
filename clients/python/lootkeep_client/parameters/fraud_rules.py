"""What the methods of `fraud_rules` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Required, TypedDict

from lootkeep_client import types


class CreateFraudRule(TypedDict, total=False):
    """Create a rule."""

    name: Required[str]
    expression: Required[str]
    action: Required[types.FraudRuleAction]
    points: int
    mode: types.FraudRuleMode
    note: str | None
    expires_at: str | None


class UpdateFraudRule(TypedDict, total=False):
    """Update a rule."""

    name: str
    expression: str
    action: types.FraudRuleAction
    points: int
    mode: types.FraudRuleMode
    note: str | None
    expires_at: str | None
