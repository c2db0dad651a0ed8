"""From facts and policy to a verdict: points, score, level and what is done with the order."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

RiskLevel = Literal["low", "medium", "high", "critical"]
Action = Literal["allowed", "flagged", "blocked", "verification_required"]


class Verdict(msgspec.Struct, frozen=True):
    """What the engine says of an order."""

    risk_score: int
    risk_level: RiskLevel
    action_taken: Action
    # Points by the name of the signal, in the order of the table.
    signals: dict[str, int]


def judge(facts: OrderFacts, policy: Policy) -> Verdict:
    raise NotImplementedError((facts, policy))
