"""What `fraud_rules` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, TypedDict

from lootkeep_client.types.fraud_part_2 import Tally


class FraudRule(TypedDict):
    id: int
    name: str
    expression: str
    action: Literal["allow", "block", "flag", "points", "verify"]
    points: int
    mode: Literal["off", "on", "shadow"]
    note: str | None
    expires_at: str | None
    hits: Tally
    updated_by: int
    created_at: str
    updated_at: str
