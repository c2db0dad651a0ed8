"""Candidate settings tried on stored checks: which orders would have been treated otherwise, and whether rightly."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec

from lootkeep.domain.disputes import judged_as
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import ENGINE_VERSION, Action, judge
from lootkeep.kernel.clock import Instant

# At most this many changed orders are listed; the rest are only counted.
MAX_LISTED = 100


class ChangedOrder(msgspec.Struct, frozen=True):
    """An order that would have been treated otherwise."""

    check: FraudCheck
    score: int
    action: Action


class Move(msgspec.Struct):
    """How many orders would have gone from one decision to another, and what they come to."""

    count: int = 0
    amount: int = 0


class Quality(msgspec.Struct):
    """How decisions agree with the truth: an order that was not simply allowed was called suspicious."""

    caught: int = 0
    missed: int = 0
    wrongly: int = 0

    @property
    def precision(self) -> float | None:
        called = self.caught + self.wrongly
        return self.caught / called if called else None

    @property
    def recall(self) -> float | None:
        frauds = self.caught + self.missed
        return self.caught / frauds if frauds else None

    def add(self, action: Action, outcome: str | None) -> None:
        is_called = action != "allowed"
        if outcome == "fraud":
            self.caught += is_called
            self.missed += not is_called
        elif outcome == "legitimate":
            self.wrongly += is_called


class Comparison:
    """Takes checks one by one and executes each again under the candidate settings."""

    def __init__(self, candidate: Policy, now: Instant) -> None:
        self._candidate = candidate
        self._now = now
        self.checks = 0
        # Made by an older engine: it gathered fewer facts, and gave other points.
        self.older_engine_checks = 0
        self.before: Counter[Action] = Counter()
        self.after: Counter[Action] = Counter()
        self.changed_count = 0
        self.moves: defaultdict[tuple[Action, Action], Move] = defaultdict(Move)
        self.changed: list[ChangedOrder] = []
        self.quality_before = Quality()
        self.quality_after = Quality()

    def add(self, check: FraudCheck) -> None:
        facts = facts_of(check)
        verdict = judge(facts, self._candidate)
        self.checks += 1
        self.older_engine_checks += check.engine_version != ENGINE_VERSION
        self.before[check.action_taken] += 1
        self.after[verdict.action_taken] += 1
        outcome = judged_as(check.truth, check.truth_source, check.action_taken, check.created_at, self._now)
        self.quality_before.add(check.action_taken, outcome)
        self.quality_after.add(verdict.action_taken, outcome)
        if verdict.action_taken != check.action_taken:
            self.changed_count += 1
            move = self.moves[check.action_taken, verdict.action_taken]
            move.count += 1
            move.amount += facts.amount
            if len(self.changed) < MAX_LISTED:
                self.changed.append(ChangedOrder(check, verdict.risk_score, verdict.action_taken))


def facts_of(check: FraudCheck) -> OrderFacts:
    """What was judged, exactly as it was."""
    return msgspec.json.decode(check.facts, type=OrderFacts)
