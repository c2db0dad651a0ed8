"""What orders turned out to be: the one place that says where the truth about a check comes from."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from sqlalchemy import bindparam, func, select

from lootkeep.domain.fraud.comparison import Tally
from lootkeep.domain.fraud.rule import RuleHit
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import fraud_checks
from lootkeep.storage.schema.fraud import HAS_RULES

# `fraud`, `legitimate`, or nothing.
TRUTH = fraud_checks.c.truth

# Few combinations of rules make up a million checks.
_RULES = Query(
    select(fraud_checks.c.rule_hits, TRUTH, func.count()).where(HAS_RULES).group_by(fraud_checks.c.rule_hits, TRUTH)
)
_SCORES = Query(
    select(fraud_checks.c.risk_score, TRUTH, fraud_checks.c.action_taken, func.count())
    .where(fraud_checks.c.created_at < bindparam("before"))
    .group_by(fraud_checks.c.risk_score, TRUTH, fraud_checks.c.action_taken)
)


async def rule_tallies(tx: Transaction) -> dict[tuple[int, int], Tally]:
    """How often each rule matched, and the outcomes of those orders, by id and revision."""
    tallies: dict[tuple[int, int], Tally] = defaultdict(Tally)
    for hits, truth, count in await tx.all(_RULES):
        for hit in msgspec.json.decode(hits, type=list[RuleHit]):
            tallies[hit.id, hit.revision].add(truth, count)
    return tallies


async def scores(tx: Transaction, before: Instant) -> list[tuple[Any, ...]]:
    """How many checks made before this time have which score, truth and action."""
    return await tx.all(_SCORES, before=before)
