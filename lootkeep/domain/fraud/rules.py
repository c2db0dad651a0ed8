"""Which of the store's own rules match an order, and which lists they use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lootkeep.domain.fraud.expressions import ListUse, Test, parse
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.rule import Rule, RuleHit


class _Active(NamedTuple):
    fits: Test
    rule: Rule
    hit: RuleHit


def fitting(facts: OrderFacts, rules: tuple[Rule, ...]) -> Iterator[tuple[Rule, RuleHit]]:
    """The rules that match, including those in shadow mode."""
    for fits, rule, hit in _active(rules):
        if (rule.expires_at is None or facts.at < rule.expires_at) and fits(facts):
            yield rule, hit


@lru_cache(maxsize=64)
def lists_asked(rules: tuple[Rule, ...]) -> tuple[ListUse, ...]:
    """The lookups needed before an order is judged."""
    return tuple(sorted({use for rule in rules if rule.mode != "off" for use in parse(rule.expression).lists}))


@lru_cache(maxsize=64)
def _active(rules: tuple[Rule, ...]) -> tuple[_Active, ...]:
    return tuple(
        _Active(parse(rule.expression).fits, rule, RuleHit(rule.id, rule.revision, rule.name, rule.action, rule.mode))
        for rule in rules
        if rule.mode != "off"
    )
