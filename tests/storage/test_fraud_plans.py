"""No query of fraud detection scans or sorts a large table, or reads much more than a page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from bench import buyers, data
from bench.people import END
from bench.rows import Rows
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.checks import Review, reviewed
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import DAY, Instant, ManualClock
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import orders as orders_service
from lootkeep.storage import schema
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import (
    check_lists as fraud_check_lists_db,
    checks as fraud_checks_db,
    history as fraud_history_db,
    identity as identity_db,
    limits as fraud_limits_db,
    linked_accounts as linked_accounts_db,
    queue as fraud_queue_db,
    truth as fraud_truth_db,
)
from tests.storage.generated_store import GeneratedStore, Rollback, location_of, opened
from tests.storage.plans import QueryRecorder
from tests.world import World

# Filling the store takes longer than a test may.
pytestmark = pytest.mark.timeout(600)
# Of which more than 10,000 customers are left, the least that counts as many.
ORDERS = 26_000

Reading = Callable[[Transaction], Awaitable[Any]]


_MIDDLE = Instant((END - buyers.YEAR // 2) // DAY * DAY)
# In the first third of the year, when orders are blocked.
_MONTH = [Instant(_MIDDLE - day * DAY) for day in range(150, 120, -1)]
_DAYS = (
    (None, None),
    (_MIDDLE, None),
    (None, Instant(_MIDDLE + 11 * DAY)),
    (Instant(_MIDDLE - DAY), Instant(_MIDDLE + 90 * DAY)),
)
_NAMES = ("risk_level", "action_taken", "is_reviewed", "from", "to")
_EVERY_FILTER: list[dict[str, Any]] = [
    {name: value for name, value in zip(_NAMES, (*given, *days), strict=True) if value is not None}
    for given in product((None, "low", "critical"), (None, "allowed", "flagged"), (None, False, True))
    for days in _DAYS
]


def _past(email: str, ip: str, device: str) -> Reading:
    async def read(tx: Transaction) -> None:
        buyer = Buyer(END, email, ip, device, customer_id=7)
        await fraud_history_db.gather(tx, Policy(), [buyer])
        await fraud_limits_db.ends(tx, Policy(), buyer)

    return read


READINGS: dict[str, Reading] = {
    "history of nobody": _past("nobody@new.example", "203.0.113.1", "none"),
    "history of a crowd": _past("b7@mail0.example", buyers.RUSH_ADDRESS, buyers.RUSH_DEVICE),
    "history of a mailbox with many accounts": _past(f"{buyers.COLLECTOR}@mail1.example", "192.0.2.1", "shared1"),
    "checks of a month": lambda tx: fraud_check_lists_db.made_between(tx, Instant(_MIDDLE - 30 * DAY), _MIDDLE),
    "blocked orders of a month": lambda tx: fraud_check_lists_db.blocked_by_day(tx, _MONTH),
    "frauds of a month": lambda tx: fraud_check_lists_db.frauds_between(tx, Instant(_MIDDLE - 30 * DAY), _MIDDLE),
    "pending review": fraud_check_lists_db.pending_review,
    "linked accounts": lambda tx: linked_accounts_db.walk(tx, 7),
    "undecided orders of some customers": lambda tx: fraud_queue_db.open_checks(tx, [7, 8]),
    "holds that are due": lambda tx: fraud_queue_db.due(tx, END),
    "a batch to execute again": lambda tx: fraud_check_lists_db.before(tx, _MIDDLE, 0, _MIDDLE - 90 * DAY),
    "check": lambda tx: fraud_checks_db.get(tx, 5000),
    "check of an order": lambda tx: fraud_checks_db.ROWS.find_one(tx, order_id=5000),
    "reviews": lambda tx: fraud_checks_db.REVIEWS.find(tx, check_id=5001),
    "settings of a version": lambda tx: fraud_checks_db.policy_of(tx, 1),
}

# Counted when they are asked for, along an index.
COUNTS: dict[str, Reading] = {
    "signals": lambda tx: fraud_truth_db.signal_counts(tx, END),
    "orders that wait for a decision": fraud_queue_db.to_decide,
    "rules": lambda tx: fraud_truth_db.rule_tallies(tx, END),
}


@cache
def _parts(size: int) -> list[dict[Table, Rows]]:
    """Made once for both engines."""
    return list(data.ORDERS.parts(size))


PLAN = replace(data.ORDERS, parts=lambda size: iter(_parts(size)))
judged_location = location_of(
    "judged",
    partial(data.make_sqlite, plan=PLAN, size=ORDERS),
    partial(data.make_postgres, plan=PLAN, size=ORDERS),
)


@pytest.fixture(scope="module")
async def judged(judged_location: Path | str) -> AsyncIterator[GeneratedStore]:
    """A store with many fraud checks, on each engine in turn."""
    async with opened(judged_location) as store:
        assert {"customers", "orders", "sightings", "fraud_checks"} <= store.large
        yield store


async def test_blocked_orders_of_each_day_are_the_checks_of_that_day_that_blocked(judged: GeneratedStore) -> None:
    async with judged.engine.read() as tx:
        blocked = await fraud_check_lists_db.blocked_by_day(tx, _MONTH)
        each = [await fraud_check_lists_db.made_between(tx, day, Instant(day + DAY)) for day in _MONTH]
    assert blocked == [sum(count for (_, action), count in day.items() if action == "blocked") for day in each]
    assert sum(blocked)


# For a rare combination, PostgreSQL may look at every row of a table that is no larger.
@pytest.mark.parametrize("filters", [filters for filters in _EVERY_FILTER if len(filters.keys() - {"from", "to"}) < 2])
async def test_a_first_page_uses_an_index(judged: GeneratedStore, filters: dict[str, Any]) -> None:
    async with judged.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await fraud_check_lists_db.LISTING.page(recorder, ListRequest(PageRequest(1, 20), filters))
    assert [work for work in await judged.works(recorder) if not judged.is_by_index(work)] == []


@pytest.mark.parametrize("name", READINGS)
async def test_a_fraud_query_reads_little_more_than_it_returns(judged: GeneratedStore, name: str) -> None:
    async with judged.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await READINGS[name](recorder)
    assert [work for work in await judged.works(recorder) if not judged.is_small(work)] == []


@pytest.mark.parametrize("name", COUNTS)
async def test_counts_use_an_index(judged: GeneratedStore, name: str) -> None:
    async with judged.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await COUNTS[name](recorder)
    assert [work for work in await judged.works(recorder) if work.scanned & judged.large] == []


async def test_frauds_are_counted_along_an_index_of_their_own(judged: GeneratedStore) -> None:
    async with judged.engine.read() as tx:
        recorder = QueryRecorder(tx)
        counts = await fraud_check_lists_db.frauds_between(recorder, Instant(0), END)
    assert sum(counts.values())
    assert [work for work in await judged.works(recorder) if work.touched > ORDERS // 2] == []


@pytest.fixture(scope="session")
def checks() -> list[dict[str, Any]]:
    """All checks of the judged store, newest first."""
    return [row for part in _parts(ORDERS) for row in part.get(schema.fraud_checks, [])][::-1]


async def test_every_page_of_every_filter_holds_the_right_rows(
    judged: GeneratedStore, checks: list[dict[str, Any]]
) -> None:
    async with judged.engine.read() as tx:
        for filters in _EVERY_FILTER:
            await _compare(tx, checks, filters)


async def _compare(tx: Transaction, checks: list[dict[str, Any]], filters: dict[str, Any]) -> None:
    matching = [check["id"] for check in checks if _is_wanted(check, **filters)]
    last = -(-len(matching) // 20)
    for number in {1, last // 3, last // 2, last, last + 1} - {0}:
        page = PageRequest(number, 20)
        listed, total = await fraud_check_lists_db.LISTING.page(tx, ListRequest(page, filters))
        cut = matching[page.offset : page.offset + page.size]
        assert (filters, number, [entry.id for entry in listed], total) == (filters, number, cut, len(matching))


def _is_wanted(check: dict[str, Any], **filters: Any) -> bool:
    start, end = filters.pop("from", 0), filters.pop("to", END)
    return start <= check["created_at"] < end and all(check[name] == value for name, value in filters.items())


async def test_judging_and_reviewing_an_order_need_no_table_scan(judged: GeneratedStore, world: World) -> None:
    deps = replace(world.deps, clock=ManualClock(END))
    cart = Cart(7, (CartLine(1, 1),), buyers.RUSH_ADDRESS, "DE", None, buyers.RUSH_DEVICE)
    with suppress(Rollback):
        async with judged.engine.write() as tx:
            recorder = QueryRecorder(tx)
            details, _ = await orders_service.place_in(deps, recorder, cart)
            assert details.check
            check = await fraud_checks_db.ROWS.lock(recorder, details.check.id)
            assert check
            review = await fraud_checks_db.REVIEWS.add(recorder, Review(0, check.id, "fraud", None, 1, END))
            await fraud_checks_db.ROWS.save(recorder, check, reviewed(check, review))
            await recorder.totals.apply(recorder)
            raise Rollback
    assert [work for work in await judged.works(recorder) if not judged.is_small(work)] == []


async def test_old_sightings_are_found_without_a_table_scan(judged: GeneratedStore) -> None:
    with suppress(Rollback):
        async with judged.engine.write() as tx:
            recorder = QueryRecorder(tx)
            assert await identity_db.purge(recorder, _MIDDLE)
            raise Rollback
    assert [work for work in await judged.works(recorder) if work.scanned & judged.large] == []
