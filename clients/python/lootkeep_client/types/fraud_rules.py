"""What `fraud_rules` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import TypedDict

from lootkeep_client.types.fraud import Tally
from lootkeep_client.types.words import FraudRuleAction, FraudRuleMode


class FraudRule(TypedDict):
    id: int
    name: str
    expression: str
    action: FraudRuleAction
    points: int
    mode: FraudRuleMode
    note: str | None
    expires_at: str | None
    hits: Tally
    updated_by: int
    created_at: str
    updated_at: str
