"""The outcomes of orders: the only place that defines the truth about a check."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from sqlalchemy import BigInteger, Text, bindparam, case, func, literal_column, or_, select

from lootkeep.domain.disputes import JUDGED_AFTER, SILENCE_IS_GOOD
from lootkeep.domain.fraud.comparison import Tally
from lootkeep.domain.fraud.rule import RuleHit
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import fraud_checks
from lootkeep.storage.schema.fraud import HAS_RULES, HAS_SIGNALS, IS_LATEST

# `fraud`, `legitimate`, or null.
TRUTH = fraud_checks.c.truth

# As in `disputes.judged_as`.
_JUDGED_AS = case(
    (
        or_(
            fraud_checks.c.truth_source == literal_column("'review'", Text),
            fraud_checks.c.created_at <= bindparam("old", type_=BigInteger),
        ),
        func.coalesce(
            TRUTH,
            case(
                (
                    fraud_checks.c.action_taken.in_([literal_column(f"'{name}'", Text) for name in SILENCE_IS_GOOD]),
                    literal_column("'legitimate'", Text),
                )
            ),
        ),
    )
)
# A million checks have few combinations of signals or rules.
_SIGNALS = Query(
    select(fraud_checks.c.signals, _JUDGED_AS.label("judged_as"), func.count())
    .where(HAS_SIGNALS)
    .group_by(fraud_checks.c.signals, _JUDGED_AS)
)
_RULES = Query(
    select(fraud_checks.c.rule_hits, _JUDGED_AS.label("judged_as"), func.count())
    .where(HAS_RULES)
    .group_by(fraud_checks.c.rule_hits, _JUDGED_AS)
)
_SCORES = Query(
    select(fraud_checks.c.risk_score, TRUTH, fraud_checks.c.action_taken, func.count())
    .where(fraud_checks.c.created_at <= bindparam("old", type_=BigInteger), IS_LATEST)
    .group_by(fraud_checks.c.risk_score, TRUTH, fraud_checks.c.action_taken)
)


async def signal_counts(tx: Transaction, now: Instant) -> dict[str, int]:
    """By names such as `vpn.fired`: in how many orders a signal fired, and the outcomes of those."""
    counts: dict[str, int] = defaultdict(int)
    for signals, outcome, count in await tx.all(_SIGNALS, old=now - JUDGED_AFTER):
        for name in msgspec.json.decode(signals, type=dict[str, int]):
            counts[f"{name}.fired"] += count
            counts[f"{name}.{outcome}"] += count
    return counts


async def rule_tallies(tx: Transaction, now: Instant) -> dict[tuple[int, int], Tally]:
    """How often each rule matched, and the outcomes of those orders, by id and revision."""
    tallies: dict[tuple[int, int], Tally] = defaultdict(Tally)
    for hits, outcome, count in await tx.all(_RULES, old=now - JUDGED_AFTER):
        for hit in msgspec.json.decode(hits, type=list[RuleHit]):
            tallies[hit.id, hit.revision].add(outcome, count)
    return tallies


async def scores(tx: Transaction, now: Instant) -> list[tuple[Any, ...]]:
    """How many old enough orders have each score, truth and action."""
    return await tx.all(_SCORES, old=now - JUDGED_AFTER)
