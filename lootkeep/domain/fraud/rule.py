"""A rule of the store: what it looks for, and what it does with an order that matches."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.kernel.clock import Instant

RuleAction = Literal["allow", "block", "verify", "flag", "points"]
RuleMode = Literal["off", "shadow", "on"]

MAX_RULES = 100
MAX_NAME = 60
# What a rule may add to a score or subtract from it.
POINTS = (-50, 60)


class Rule(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """Stored with the settings, so a version of the settings includes its rules."""

    id: int
    name: str
    expression: str
    action: RuleAction
    # Only with the action `points`.
    points: int = 0
    # In shadow mode, matches of a rule are only counted.
    mode: RuleMode = "shadow"
    note: str | None = None
    expires_at: Instant | None = None
    # The version of the expression, from 1: counts of another version do not apply.
    revision: int = 1
    updated_by: int
    created_at: Instant
    updated_at: Instant


class RuleHit(msgspec.Struct, frozen=True):
    """A rule that matched an order, as it was at that time."""

    id: int
    revision: int
    name: str
    action: RuleAction
    mode: RuleMode
