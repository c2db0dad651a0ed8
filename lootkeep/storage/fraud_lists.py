"""Fraud checks as they are listed, counted, and executed again."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import get_args

from sqlalchemy import bindparam, select, tuple_

from lootkeep.domain.fraud.checks import CheckEntry, CheckSummary, FraudCheck
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.clock import Instant
from lootkeep.storage import counters
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.fraud_checks import COUNTER, counter
from lootkeep.storage.lists import Join, Listing, Sort, Values, columns_of, counted, equals, within
from lootkeep.storage.schema import customers, fraud_checks

# Executed again so many at a time.
_BATCH = 500


def _counters(values: Values) -> list[str]:
    levels, actions = get_args(RiskLevel), get_args(Action)
    return [
        counter(level, action, is_reviewed=is_reviewed)
        for level, action, is_reviewed in product(levels, actions, (True, False))
        if values.get("risk_level", level) == level
        and values.get("action_taken", action) == action
        and values.get("is_reviewed", is_reviewed) == is_reviewed
    ]


# The index of the times holds what is filtered.
LISTING = Listing(
    fraud_checks,
    CheckEntry,
    {
        "risk_level": equals(fraud_checks.c.risk_level, "risk_level", None),
        "action_taken": equals(fraud_checks.c.action_taken, "action_taken", None),
        "is_reviewed": equals(fraud_checks.c.is_reviewed, "is_reviewed", None),
        **within(fraud_checks.c.created_at),
    },
    {"created_at": Sort(fraud_checks.c.created_at)},
    counted(_counters, {"risk_level", "action_taken", "is_reviewed"}),
    columns=(*columns_of(fraud_checks, CheckSummary), customers.c.name.label("customer_name")),
    joins=(Join(customers, customers.c.id == fraud_checks.c.customer_id),),
)


async def made_between(tx: Transaction, start: Instant, end: Instant) -> Mapping[tuple[str, str], int]:
    """How many checks of each level and action were made on these days."""
    counts: dict[tuple[str, str], int] = {}
    for name, count in (await counters.between(tx, _counters({}), start, end)).items():
        level, action, _ = name.removeprefix(COUNTER).split(".")
        counts[level, action] = counts.get((level, action), 0) + count
    return counts


async def pending_review(tx: Transaction) -> int:
    """Checks that nobody has reviewed and that were not simply allowed."""
    kept = await counters.totals(tx, COUNTER)
    return sum(count for name, count in kept.items() if name.endswith(".open") and name.split(".")[1] != "allowed")


_BEFORE = Query(
    select(*columns_of(fraud_checks, FraudCheck))
    .where(
        tuple_(fraud_checks.c.created_at, fraud_checks.c.id) < tuple_(bindparam("time"), bindparam("newer")),
        fraud_checks.c.created_at >= bindparam("oldest"),
    )
    .order_by(fraud_checks.c.created_at.desc(), fraud_checks.c.id.desc())
    .limit(_BATCH),
    FraudCheck,
)


async def before(tx: Transaction, time: Instant, check_id: int, oldest: int) -> list[FraudCheck]:
    """A batch of checks before this place, newest first, none older than `oldest`; empty at the end."""
    return await tx.all(_BEFORE, time=time, newer=check_id, oldest=oldest)
