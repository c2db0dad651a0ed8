"""Fraud checks as they are listed and counted: whatever the filters, a page costs the same after a million checks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any, get_args

import msgspec
from sqlalchemy import Integer, Select, bindparam, false, literal_column, select, true, tuple_, union_all

from lootkeep.domain.fraud.checks import CheckEntry, CheckSummary, FraudCheck
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.paging import Page
from lootkeep.storage import counters
from lootkeep.storage.database import Transaction
from lootkeep.storage.fraud_checks import COUNTER, counter
from lootkeep.storage.query import Query
from lootkeep.storage.tables import customers, fraud_checks

# Each combination of these is a stretch of the index of filters, and a kept total.
_VALUES: dict[str, tuple[Any, ...]] = {
    "risk_level": get_args(RiskLevel),
    "action_taken": get_args(Action),
    "is_reviewed": (True, False),
}
_NEWEST = (fraud_checks.c.created_at.desc(), fraud_checks.c.id.desc())
# Skipping so many index entries is cheaper than looking up where to start.
_FEW = 200
# Executed again so many at a time.
_BATCH = 500


class Filters(msgspec.Struct, frozen=True):
    """What a list of checks is narrowed to; times are the start of days, `end` is left out."""

    risk_level: RiskLevel | None = None
    action_taken: Action | None = None
    is_reviewed: bool | None = None
    start: Instant | None = None
    end: Instant | None = None


async def page(tx: Transaction, asked: Page, filters: Filters) -> tuple[list[CheckEntry], int]:
    """A page of the list, newest first, and how many there are in all."""
    kept = await _kept(tx, filters)
    # Most combinations never occur.
    names = [name for name in _names(filters) if kept.get(name)]
    total = sum(kept[name] for name in names)
    if asked.offset >= total:
        return [], total
    start, end, skip = filters.start, filters.end, asked.offset
    if skip > _FEW:
        end, skip, oldest = await counters.stretch(tx, names, skip, asked.size, until=end)
        start = oldest if start is None else max(start, oldest)
    given = {name: value for name in _VALUES if (value := getattr(filters, name)) is not None}
    bounds = {"start": start, "end": end}
    times = {name: value for name, value in bounds.items() if value is not None}
    # A day with so many of them is looked through as a whole: the others in it are passed over on the way.
    is_walked = not given or skip > _FEW
    query = page_query(tuple(given), tuple(times), None if is_walked else _reach(skip + asked.size))
    return await tx.all(query, size=asked.size, skip=skip, **given, **times), total


def _reach(count: int) -> int:
    """At least so many: a few fixed numbers, which PostgreSQL can plan with once for all."""
    return max(32, 1 << (count - 1).bit_length())


@cache
def page_query(given: tuple[str, ...], times: tuple[str, ...], reach: int | None) -> Query[CheckEntry]:
    """The keys of the page first; only its rows are read and joined."""
    keys = _passing(given, times) if reach is None else _merged(given, times, reach)
    key = keys.order_by(keys.selected_columns[1].desc(), keys.selected_columns[0].desc())
    cut = key.limit(bindparam("size")).offset(bindparam("skip")).subquery()
    columns = [fraud_checks.c[name] for name in CheckSummary.__struct_fields__]
    return Query(
        select(*columns, customers.c.name.label("customer_name"))
        .select_from(cut)
        .join(fraud_checks, fraud_checks.c.id == cut.c.id)
        .join(customers, customers.c.id == fraud_checks.c.customer_id)
        .order_by(*_NEWEST),
        CheckEntry,
    )


def _everything(times: tuple[str, ...]) -> Select[Any]:
    return select(fraud_checks.c.id, fraud_checks.c.created_at).where(*_within(times))


def _passing(given: tuple[str, ...], times: tuple[str, ...]) -> Select[Any]:
    """In the order of time, with a look at each. Written so that no engine takes the index of filters and sorts."""
    level = fraud_checks.c.risk_level.concat("") == bindparam("risk_level")
    return _everything(times).where(*(level if name == "risk_level" else _equals(name, None) for name in given))


def _merged(given: tuple[str, ...], times: tuple[str, ...], reach: int) -> Select[Any]:
    """The newest of every stretch of the index that the filters admit."""
    stretches = []
    for values in product(*((None,) if name in given else _VALUES[name] for name in _VALUES)):
        alike = [_equals(name, value) for name, value in zip(_VALUES, values, strict=True)]
        newest = (
            _everything(times).where(*alike).order_by(*_NEWEST).limit(literal_column(str(reach), Integer)).subquery()
        )
        stretches.append(select(newest.c.id, newest.c.created_at))
    merged = union_all(*stretches).subquery()
    return select(merged.c.id, merged.c.created_at)


def _equals(name: str, value: Any) -> Any:
    column = fraud_checks.c[name]
    if value is None:
        return column == bindparam(name)
    if isinstance(value, bool):
        return column == (true() if value else false())
    return column == value


def _within(times: tuple[str, ...]) -> list[Any]:
    bounds = {
        "start": fraud_checks.c.created_at >= bindparam("start"),
        "end": fraud_checks.c.created_at < bindparam("end"),
    }
    return [bounds[name] for name in times]


def _names(filters: Filters) -> list[str]:
    """The kept totals that the filters add up."""
    wanted = (values if (value := getattr(filters, name)) is None else (value,) for name, values in _VALUES.items())
    return [counter(level, action, is_reviewed=reviewed) for level, action, reviewed in product(*wanted)]


async def _kept(tx: Transaction, filters: Filters) -> Mapping[str, int]:
    """The kept totals, of the days asked for."""
    if filters.start is None and filters.end is None:
        return {COUNTER + name: count for name, count in (await counters.totals(tx, COUNTER)).items()}
    start = Instant(0) if filters.start is None else filters.start
    end = counters.NO_END if filters.end is None else filters.end
    return await counters.between(tx, _names(filters), start, end)


async def made_between(tx: Transaction, start: Instant, end: Instant) -> Mapping[tuple[str, str], int]:
    """How many checks of each level and action were made on these days."""
    counted: dict[tuple[str, str], int] = {}
    for name, count in (await counters.between(tx, _names(Filters()), start, end)).items():
        level, action, _ = name.removeprefix(COUNTER).split(".")
        counted[level, action] = counted.get((level, action), 0) + count
    return counted


async def pending_review(tx: Transaction) -> int:
    """Checks that nobody has reviewed and that were not simply allowed."""
    kept = await counters.totals(tx, COUNTER)
    return sum(count for name, count in kept.items() if name.endswith(".open") and name.split(".")[1] != "allowed")


_BEFORE = Query(
    select(*(fraud_checks.c[name] for name in FraudCheck.__struct_fields__))
    .where(
        tuple_(fraud_checks.c.created_at, fraud_checks.c.id) < tuple_(bindparam("time"), bindparam("newer")),
        fraud_checks.c.created_at >= bindparam("oldest"),
    )
    .order_by(*_NEWEST)
    .limit(_BATCH),
    FraudCheck,
)


async def before(tx: Transaction, time: Instant, check_id: int, oldest: int) -> list[FraudCheck]:
    """A batch of checks before this place, newest first, none older than `oldest`; empty at the end."""
    return await tx.all(_BEFORE, time=time, newer=check_id, oldest=oldest)
