"""Fraud checks as they are listed and counted: whatever the filters, a page costs the same after a million checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, get_args

import msgspec
from sqlalchemy import (
    BigInteger,
    Integer,
    Select,
    Text,
    bindparam,
    false,
    literal_column,
    select,
    true,
    tuple_,
    union_all,
)

from lootkeep.domain.fraud.checks import CheckEntry, CheckSummary, FraudCheck
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage import counters
from lootkeep.storage.counters import Place
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import Unseen
from lootkeep.storage.fraud_checks import COUNTER, counter
from lootkeep.storage.query import Query
from lootkeep.storage.tables import customers, fraud_checks

# Each combination of these is a stretch of the index of filters, and a kept total.
_VALUES: dict[str, tuple[Any, ...]] = {
    "risk_level": get_args(RiskLevel),
    "action_taken": get_args(Action),
    "is_reviewed": (True, False),
}
# Written out, not given as values: there are few, and PostgreSQL plans once for each.
_WRITTEN: dict[Any, Any] = {True: true(), False: false()} | {
    word: literal_column(f"'{word}'", Text) for word in (*get_args(RiskLevel), *get_args(Action))
}
_NEWEST = (fraud_checks.c.created_at.desc(), fraud_checks.c.id.desc())
# Skipping so many index entries is cheaper than looking up where to start.
_FEW = 200
# The largest page that can be asked for.
_LARGEST = 100
# Executed again so many at a time.
_BATCH = 500

# A level, an action, and whether it is reviewed; None is any.
Given = tuple[RiskLevel | None, Action | None, bool | None]
_ANY: Given = (None, None, None)


class Filters(msgspec.Struct, frozen=True):
    """What a list of checks is narrowed to; times are the start of days, `end` is left out."""

    risk_level: RiskLevel | None = None
    action_taken: Action | None = None
    is_reviewed: bool | None = None
    start: Instant | None = None
    end: Instant | None = None

    @property
    def given(self) -> Given:
        return self.risk_level, self.action_taken, self.is_reviewed


async def page(tx: Transaction, asked: Page, filters: Filters) -> tuple[list[CheckEntry], int]:
    """A page of the list, newest first, and how many there are in all."""
    if asked.offset <= _FEW:
        total = await counters.total(tx, _names(filters.given), since=filters.start, until=filters.end)
        if asked.offset >= total:
            return [], total
        return await _older(tx, filters, filters.end, asked.offset, asked.size), total
    names = _names(filters.given)
    total, place = await counters.place(tx, names, asked.offset, since=filters.start, until=filters.end)
    if place is None:
        return [], total
    return await _around(tx, filters, place, min(asked.size, total - asked.offset)), total


async def _around(tx: Transaction, filters: Filters, place: Place, size: int) -> list[CheckEntry]:
    """So many from that place on, found from whichever end of its day is nearer."""
    rest = place.items - place.skip - size
    if place.skip <= max(rest, _FEW):
        return await _older(tx, filters, place.end, place.skip, size)
    of_day = min(size, place.items - place.skip)
    times = {"start": place.start, "end": place.end}
    found = await _found(tx, filters, times, max(rest, 0), of_day, "asc")
    if of_day < size:
        found += await _older(tx, filters, place.start, 0, size - of_day)
    return found


async def _older(tx: Transaction, filters: Filters, end: Instant | None, skip: int, size: int) -> list[CheckEntry]:
    times = {name: time for name, time in (("start", filters.start), ("end", end)) if time is not None}
    return await _found(tx, filters, times, skip, size, "desc")


async def _found(
    tx: Transaction, filters: Filters, times: dict[str, Instant], skip: int, size: int, order: Order
) -> list[CheckEntry]:
    """Newest first, whichever end they are counted from."""
    # A day with so many of them is looked through as a whole: the others in it are passed over on the way.
    is_walked = skip > _FEW or filters.given == _ANY
    query = page_query(filters.given, tuple(times), order, None if is_walked else _reach(skip + size))
    return await tx.all(query, size=size, skip=skip, **times)


def _reach(count: int) -> int:
    """At least so many: a few fixed numbers, which PostgreSQL can plan with once for all."""
    return max(32, 1 << (count - 1).bit_length())


@cache
def page_query(given: Given, times: tuple[str, ...], order: Order, reach: int | None) -> Query[CheckEntry]:
    """The keys of the page first; only its rows are read and joined."""
    keys = _passing(given, times) if reach is None else _merged(given, times, order, reach)
    key = keys.order_by(*_ordered(keys.selected_columns, order))
    cut = key.limit(_given("size")).offset(_given("skip")).subquery()
    # Cuts nothing off: PostgreSQL, which does not see the size, is to know that it is a page.
    cut = select(cut.c.id).limit(literal_column(str(_LARGEST), Integer)).subquery()
    columns = [fraud_checks.c[name] for name in CheckSummary.__struct_fields__]
    return Query(
        select(*columns, customers.c.name.label("customer_name"))
        .select_from(cut)
        .join(fraud_checks, fraud_checks.c.id == cut.c.id)
        .join(customers, customers.c.id == fraud_checks.c.customer_id)
        .order_by(*_NEWEST),
        CheckEntry,
    )


def _ordered(columns: Any, order: Order) -> tuple[Any, Any]:
    if order == "asc":
        return columns.created_at, columns.id
    return columns.created_at.desc(), columns.id.desc()


def _everything(times: tuple[str, ...]) -> Select[Any]:
    return select(fraud_checks.c.id, fraud_checks.c.created_at).where(*_within(times))


def _passing(given: Given, times: tuple[str, ...]) -> Select[Any]:
    """In the order of time, with a look at each. Written so that no engine takes the index of filters and sorts."""
    columns = (fraud_checks.c.risk_level.concat(""), fraud_checks.c.action_taken, fraud_checks.c.is_reviewed)
    alike = (_is(column, value) for column, value in zip(columns, given, strict=True) if value is not None)
    return _everything(times).where(*alike)


def _merged(given: Given, times: tuple[str, ...], order: Order, reach: int) -> Select[Any]:
    """The newest, or the oldest, of every stretch of the index that the filters admit."""
    stretches = []
    for values in product(*_admitted(given)):
        alike = (_is(fraud_checks.c[name], value) for name, value in zip(_VALUES, values, strict=True))
        keys = _everything(times).where(*alike).order_by(*_ordered(fraud_checks.c, order))
        first = keys.limit(literal_column(str(reach), Integer)).subquery()
        stretches.append(select(first.c.id, first.c.created_at))
    merged = union_all(*stretches).subquery()
    return select(merged.c.id, merged.c.created_at)


def _admitted(given: Given) -> Iterator[tuple[Any, ...]]:
    """Of each filter, the values that pass."""
    return (values if value is None else (value,) for value, values in zip(given, _VALUES.values(), strict=True))


def _is(column: Any, value: Any) -> Any:
    return column == _WRITTEN[value]


def _within(times: tuple[str, ...]) -> list[Any]:
    bounds = {
        "start": fraud_checks.c.created_at >= _given("start"),
        "end": fraud_checks.c.created_at < _given("end"),
    }
    return [bounds[name] for name in times]


def _given(name: str) -> Unseen:
    return Unseen(bindparam(name, type_=BigInteger()))


@cache
def _names(given: Given) -> tuple[str, ...]:
    """The kept totals that the filters add up."""
    return tuple(counter(level, action, is_reviewed=reviewed) for level, action, reviewed in product(*_admitted(given)))


async def made_between(tx: Transaction, start: Instant, end: Instant) -> Mapping[tuple[str, str], int]:
    """How many checks of each level and action were made on these days."""
    counted: dict[tuple[str, str], int] = {}
    for name, count in (await counters.between(tx, _names(_ANY), start, end)).items():
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
