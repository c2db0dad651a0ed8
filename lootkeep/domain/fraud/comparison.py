"""Backtest of candidate settings on stored checks: which decisions would change, and whether for the better."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container

import msgspec
from msgspec.structs import replace

from lootkeep.domain.disputes import judged_as
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.lists import memberships, sought
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.rules import lists_asked
from lootkeep.domain.fraud.score import ENGINE_VERSION, Action, judge
from lootkeep.kernel.clock import Instant

# At most this many changed orders are listed; the rest are only counted.
MAX_LISTED = 100


class ChangedOrder(msgspec.Struct, frozen=True):
    """An order with a decision that would change."""

    check: FraudCheck
    score_before: int
    action_before: Action
    score: int
    action: Action


class Tally(msgspec.Struct):
    """How many orders matched, and their outcomes."""

    fired: int = 0
    right: int = 0
    wrong: int = 0

    @property
    def precision(self) -> float | None:
        judged = self.right + self.wrong
        return self.right / judged if judged else None

    def add(self, truth: str | None, count: int = 1) -> None:
        self.fired += count
        self.right += count * (truth == "fraud")
        self.wrong += count * (truth == "legitimate")


class Move(msgspec.Struct):
    """How many orders would change from one decision to another, and their total amount."""

    count: int = 0
    amount: int = 0


class Quality(msgspec.Struct):
    """How decisions agree with the truth: every order that was not allowed counts as suspected."""

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
    """Takes checks one by one and judges each again with the candidate settings."""

    def __init__(
        self,
        candidate: Policy,
        now: Instant,
        entries: Container[tuple[str, str]] = (),
        *,
        current: Policy | None = None,
        rule_id: int | None = None,
    ) -> None:
        """Compares with what was decided, or with what `current` would decide; counts the hits of one rule.

        `entries` has what is on the lists now: for rules that ask about lists which no rule asked about at the time.
        """
        self._candidate = candidate
        self._now = now
        self._entries = entries
        self._uses = lists_asked(candidate.rules)
        self._current = current
        self._rule_id = rule_id
        self.rule = Tally()
        self.checks = 0
        # Made by an older engine, which gathered fewer facts and used other points.
        self.older_engine_checks = 0
        self.before: Counter[Action] = Counter()
        self.after: Counter[Action] = Counter()
        self.changed_count = 0
        self.moves: defaultdict[tuple[Action, Action], Move] = defaultdict(Move)
        self.changed: list[ChangedOrder] = []
        self.quality_before = Quality()
        self.quality_after = Quality()

    def add(self, check: FraudCheck) -> None:
        facts = self._facts(check)
        verdict = judge(facts, self._candidate)
        before = (check.risk_score, check.action_taken)
        if self._current is not None:
            earlier = judge(facts, self._current)
            before = (earlier.risk_score, earlier.action_taken)
        self.checks += 1
        self.older_engine_checks += check.engine_version != ENGINE_VERSION
        outcome = judged_as(check.truth, check.truth_source, check.action_taken, check.created_at, self._now)
        if any(hit.id == self._rule_id for hit in verdict.rules):
            self.rule.add(outcome)
        self.before[before[1]] += 1
        self.after[verdict.action_taken] += 1
        self.quality_before.add(before[1], outcome)
        self.quality_after.add(verdict.action_taken, outcome)
        if verdict.action_taken != before[1]:
            self.changed_count += 1
            move = self.moves[before[1], verdict.action_taken]
            move.count += 1
            move.amount += facts.amount
            if len(self.changed) < MAX_LISTED:
                self.changed.append(ChangedOrder(check, *before, verdict.risk_score, verdict.action_taken))

    def _facts(self, check: FraudCheck) -> OrderFacts:
        facts = facts_of(check)
        missing = [use for use in self._uses if use.key not in facts.lists]
        if not missing:
            return facts
        # Checks of older versions do not contain the customer.
        facts = replace(facts, customer_id=check.customer_id)
        return replace(facts, lists=facts.lists | memberships(missing, sought(missing, facts), self._entries))


def facts_of(check: FraudCheck) -> OrderFacts:
    """The judged facts, exactly as they were."""
    return msgspec.json.decode(check.facts, type=OrderFacts)
