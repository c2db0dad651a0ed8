"""The result of a review, its effect on the order, and how a check is shown to people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from lootkeep.domain.fraud.score import RULE_SIGNAL, Action, RiskLevel
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.domain.orders import Order, allows

ReviewedAs = Literal["legitimate", "fraud", "inconclusive"]
Consequence = Literal["release", "cancel"]
OUTCOMES: tuple[ReviewedAs, ...] = ("legitimate", "fraud", "inconclusive")


class Badge(msgspec.Struct, frozen=True):
    label: str
    color: str


RISK_BADGES: dict[RiskLevel, Badge] = {
    "low": Badge("Low Risk", "green"),
    "medium": Badge("Medium Risk", "yellow"),
    "high": Badge("High Risk", "orange"),
    "critical": Badge("Critical Risk", "red"),
}
ACTION_BADGES: dict[Action, Badge] = {
    "allowed": Badge("Allowed", "green"),
    "flagged": Badge("Flagged", "yellow"),
    "blocked": Badge("Blocked", "red"),
    "verification_required": Badge("Verification Required", "blue"),
}


def consequence(outcome: ReviewedAs, order: Order) -> Consequence | None:
    """The step that a review causes; paid and finished orders stay as they are, and fraud leaves a held payment."""
    if outcome == "legitimate" and allows(order, "release"):
        return "release"
    if outcome == "fraud" and allows(order, "cancel"):
        return "cancel"
    return None


def detected_signals(points: Mapping[str, int]) -> list[str]:
    """The labels of what counted against the order, the heaviest first."""
    against = [item for item in points.items() if item[1] > 0]
    heaviest = sorted(against, key=lambda item: -item[1])
    return [label(name) for name, _ in heaviest]


def label(name: str) -> str:
    """An old check may have a signal that was removed from the table: then its name is used."""
    if name.startswith(RULE_SIGNAL):
        return f"Rule “{name.removeprefix(RULE_SIGNAL)}”"
    signal = BY_NAME.get(name)
    return signal.label if signal else name.replace("_", " ").capitalize()
