"""Fraud checks: listed, counted, and read for a backtest.

The list has every judgement; figures are of orders, and count the latest judgement of each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import get_args

from sqlalchemy import Text, bindparam, func, literal_column, select, tuple_

from lootkeep.domain.fraud.checks import CheckEntry, FraudCheck
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.filters import equals_each, within
from lootkeep.storage.lists import ByDay, Counted, Join, Listing, Sort, Values
from lootkeep.storage.rows import columns_of
from lootkeep.storage.schema import customers, fraud_checks
from lootkeep.storage.schema.fraud import IS_LATEST
from lootkeep.storage.totals import by_day as by_day_db, counters

# How many checks a backtest reads at a time.
_BATCH = 500


def _counters(values: Values) -> list[str]:
    choices = [
        [values[name]] if name in values else every
        for name, every in (
            ("risk_level", get_args(RiskLevel)),
            ("action_taken", get_args(Action)),
            ("is_reviewed", (True, False)),
            ("is_latest", (True, False)),
        )
    ]
    return ["fraud." + ".".join(str(part).lower() for part in parts) for parts in product(*choices)]


async def _by_day(tx: Transaction, _values: Values) -> list[tuple[int, int]]:
    return await by_day_db.counts(tx, "check")


# The index of the times contains the filtered columns.
LISTING = Listing(
    fraud_checks,
    CheckEntry,
    {
        **equals_each(fraud_checks, "risk_level", "action_taken", "is_reviewed", index=None),
        **within(fraud_checks.c.created_at),
    },
    {"created_at": Sort(fraud_checks.c.created_at)},
    Counted(_counters, {"risk_level", "action_taken", "is_reviewed"}),
    ByDay(_by_day),
    columns=columns_of(fraud_checks, CheckEntry, customer=customers),
    joins=(Join(customers, customers.c.id == fraud_checks.c.customer_id),),
)


_FRAUDS = Query(
    select(fraud_checks.c.action_taken, func.count())
    .where(
        fraud_checks.c.truth == literal_column("'fraud'", Text),
        IS_LATEST,
        fraud_checks.c.created_at >= bindparam("start"),
        fraud_checks.c.created_at < bindparam("end"),
    )
    .group_by(fraud_checks.c.action_taken)
)


async def made_between(tx: Transaction, start: Instant, end: Instant) -> Mapping[tuple[str, str], int]:
    """How many orders were judged on these UTC days, by level and action."""
    found: Counter[tuple[str, str]] = Counter()
    for _, level, action, count in await _judged(tx, start, end):
        found[level, action] += count
    return found


async def blocked_by_day(tx: Transaction, days: Sequence[Instant]) -> list[int]:
    """How many orders were blocked on each of these UTC days, which follow one another."""
    found: Counter[int] = Counter()
    for day, _, action, count in await _judged(tx, days[0], Instant(days[-1] + DAY)):
        found[day] += count if action == "blocked" else 0
    return [found[day // DAY] for day in days]


async def _judged(tx: Transaction, start: Instant, end: Instant) -> list[tuple[int, str, str, int]]:
    """How many orders have their latest judgement on each UTC day, by level and action."""
    rows = [(day, key.split("."), count) for day, key, count in await by_day_db.counts_between(tx, "check", start, end)]
    return [(day, level, action, count) for day, (level, action, is_latest), count in rows if is_latest == "true"]


async def frauds_between(tx: Transaction, start: Instant, end: Instant) -> Mapping[str, int]:
    """How many orders of this period were fraud, by action."""
    return dict(await tx.all(_FRAUDS, start=start, end=end))


async def decisions(tx: Transaction) -> Mapping[tuple[str, str], int]:
    """How many checks of each level and action there are."""
    found: Counter[tuple[str, str]] = Counter()
    for name, count in (await counters.totals(tx, "fraud.")).items():
        level, action, *_ = name.split(".")
        found[level, action] += count
    return found


async def pending_review(tx: Transaction) -> int:
    """Orders without a review that were not allowed."""
    totals = await counters.totals(tx, "fraud.")
    return sum(count for name, count in totals.items() if name.endswith(".false.true") and ".allowed." not in name)


_BEFORE = Query(
    select(*columns_of(fraud_checks, FraudCheck))
    .where(
        tuple_(fraud_checks.c.created_at, fraud_checks.c.id) < tuple_(bindparam("time"), bindparam("newer")),
        fraud_checks.c.created_at >= bindparam("oldest"),
        IS_LATEST,
    )
    .order_by(fraud_checks.c.created_at.desc(), fraud_checks.c.id.desc())
    .limit(_BATCH),
    FraudCheck,
)


async def before(tx: Transaction, time: Instant, check_id: int, oldest: int) -> list[FraudCheck]:
    """A batch of the orders' checks before this position, newest first, none older than `oldest`; empty at the end."""
    return await tx.all(_BEFORE, time=time, newer=check_id, oldest=oldest)
