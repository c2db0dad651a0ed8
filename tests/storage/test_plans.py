"""No query of referrals or fraud walks through a large table, sorts one, or touches more than a page is worth."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import asyncpg
import pytest
from sqlalchemy import func, select

from bench import buyers, data, rows
from bench.people import END, RARE, code
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.identity import Trace
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import DAY, Instant, ManualClock
from lootkeep.kernel.paging import Page
from lootkeep.services import customers as services
from lootkeep.services import orders
from lootkeep.storage import (
    claims,
    counters,
    customers,
    fraud_checks,
    fraud_history,
    fraud_lists,
    identity,
    natural_keys,
    referral_lists,
    referrals,
    tiers,
)
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Engine, Transaction
from lootkeep.storage.fraud_lists import Filters
from lootkeep.storage.postgres import PostgresDatabase
from lootkeep.storage.query import Query
from lootkeep.storage.sqlite import SqliteDatabase
from lootkeep.storage.tables import metadata
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.storage.plans import Asked, Recorder, Work, postgres_work, sqlite_work
from tests.world import World

SIZE = 20_000
ORDERS = 50_000
LARGE = 10_000
# A page of fifteen joined rows and up to a thousand skipped keys; a table of this size would be many times that.
MOST_STEPS = 30_000
MOST_ROWS = 5_000
# Where a page far down begins is found by the counts per day: bounded by a store's age, not by what is in it.
HISTOGRAM = "GROUP BY counters.bucket"

ALIASES = {"brought_by": "customers"}
Reading = Callable[[Transaction], Awaitable[Any]]

DEEP = Page(SIZE // 2 // 15, 15)
READINGS: dict[str, Reading] = {
    "first page": lambda tx: referral_lists.page(tx, Page(1, 15), None),
    "middle page": lambda tx: referral_lists.page(tx, DEEP, None),
    "last page": lambda tx: referral_lists.page(tx, Page(SIZE // 15, 15), None),
    "page before the histogram": lambda tx: referral_lists.page(tx, Page(66, 15), None),
    "pending, first page": lambda tx: referral_lists.page(tx, Page(1, 15), "pending"),
    "pending, middle page": lambda tx: referral_lists.page(tx, Page(400, 15), "pending"),
    "successful, middle page": lambda tx: referral_lists.page(tx, Page(266, 15), "successful"),
    "search": lambda tx: referral_lists.search(tx, Page(1, 15), None, RARE),
    "search, second page": lambda tx: referral_lists.search(tx, Page(2, 15), None, RARE),
    "search within a status": lambda tx: referral_lists.search(tx, Page(1, 15), "pending", RARE),
    "statistics": lambda tx: counters.totals(tx, "referrals."),
    "leaderboard at sign-up": lambda tx: referral_lists.leaderboard(tx, "signup", 10),
    "leaderboard at first purchase": lambda tx: referral_lists.leaderboard(tx, "first_purchase", 100),
    "top referrers": lambda tx: referral_lists.top_referrers(tx, 100),
    "claims": lambda tx: referral_lists.claims(tx, Page(1, 15)),
    "refused": lambda tx: referral_lists.refused(tx, Page(1, 15)),
    "code validation": lambda tx: customers.by_referral_code(tx, code(5000)),
    "customer": lambda tx: customers.get(tx, 5000),
    "customer by e-mail": lambda tx: customers.by_email(tx, "nobody@mail1.example"),
    "customer by external id": lambda tx: customers.by_external_id(tx, "c1"),
    "customers by e-mail": lambda tx: natural_keys.customers_by_email(tx, ["a@mail1.example", "b@mail1.example"]),
    "orders by external id": lambda tx: natural_keys.orders_by_external_id(tx, ["o1", "o2"]),
    "referrer": lambda tx: referrals.referrer(tx, 1),
    "referrer for change": lambda tx: referrals.referrer_for_change(tx, 1),
    "own claims": lambda tx: claims.of_customer(tx, 1),
    "claim": lambda tx: claims.get(tx, 1, 1),
    "tiers": tiers.all_tiers,
    "seen with": lambda tx: identity.seen_with(tx, Trace("mailbox", "nobody@mail1.example"), (1,)),
    "ancestors": lambda tx: identity.ancestors(tx, SIZE),
}


def _checks(filters: Filters) -> Reading:
    """The first page and one in the middle."""

    async def read(tx: Transaction) -> None:
        _, total = await fraud_lists.page(tx, Page(1, 20), filters)
        await fraud_lists.page(tx, Page(max(1, total // 2 // 20), 20), filters)

    return read


_MIDDLE = Instant((END - buyers.YEAR // 2) // DAY * DAY)
_DAYS = ((None, None), (_MIDDLE, None), (None, _MIDDLE), (_MIDDLE, Instant(_MIDDLE + 90 * DAY)))
_EVERY_FILTER = [
    Filters(*given, *days)
    for given in product((None, "low", "critical"), (None, "allowed", "flagged"), (None, False, True))
    for days in _DAYS
]


def _past(email: str, address: str, device: str) -> Reading:
    async def read(tx: Transaction) -> None:
        await fraud_history.gather(tx, Policy(), END, email=email, ip_address=address, device_id=device, customer_id=7)
        await fraud_history.ends(tx, Policy(), END, email=email, ip_address=address)

    return read


FRAUD_READINGS: dict[str, Reading] = {
    **{f"checks {number}": _checks(filters) for number, filters in enumerate(_EVERY_FILTER)},
    "history of nobody": _past("nobody@new.example", "203.0.113.1", "none"),
    "history of a crowd": _past("b7@mail0.example", buyers.RUSH_ADDRESS, buyers.RUSH_DEVICE),
    "history of a mailbox with many accounts": _past(f"{buyers.COLLECTOR}@mail1.example", "192.0.2.1", "shared1"),
    "checks of a month": lambda tx: fraud_lists.made_between(tx, Instant(_MIDDLE - 30 * DAY), _MIDDLE),
    "pending review": fraud_lists.pending_review,
    "signals": lambda tx: counters.totals(tx, fraud_checks.SIGNAL_COUNTER),
    "a batch to execute again": lambda tx: fraud_lists.before(tx, _MIDDLE, 0, _MIDDLE - 90 * DAY),
    "check": lambda tx: fraud_checks.get(tx, 5000),
    "check of an order": lambda tx: fraud_checks.of_order(tx, 5000),
    "reviews": lambda tx: fraud_checks.reviews_of(tx, 5001),
    "settings of a version": lambda tx: fraud_checks.policy_of(tx, 1),
}


class Undone(Exception):
    """Takes a deed back."""


@pytest.fixture(scope="session")
def made_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "made.db"
    asyncio.run(data.make_sqlite(path, data.REFERRALS, SIZE))
    return path


@pytest.fixture(scope="session")
def judged_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judged") / "judged.db"
    asyncio.run(data.make_sqlite(path, data.ORDERS, ORDERS))
    return path


@pytest.fixture(scope="session")
def made_postgresql(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_made"))
    asyncio.run(data.make_postgres(url, data.REFERRALS, SIZE))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture(scope="session")
def judged_postgresql(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_judged"))
    asyncio.run(data.make_postgres(url, data.ORDERS, ORDERS))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@dataclass
class Made:
    """The made store, and a connection that explains its plans."""

    engine: Engine
    explain: Callable[[Asked], Awaitable[Work]]
    most: int
    large: set[str]

    async def works(self, recorder: Recorder) -> list[Work]:
        assert recorder.asked
        return [await self.explain(asked) for asked in recorder.asked]

    def is_small(self, work: Work) -> bool:
        if HISTOGRAM in work.sql:
            return work.scanned <= {"counters"}
        return not work.scanned & self.large and work.touched <= self.most


@pytest.fixture(params=ENGINES)
def made_address(request: pytest.FixtureRequest) -> Path | str:
    found: Path | str = request.getfixturevalue(f"made_{request.param}")
    return found


@pytest.fixture(params=ENGINES)
def judged_address(request: pytest.FixtureRequest) -> Path | str:
    found: Path | str = request.getfixturevalue(f"judged_{request.param}")
    return found


@pytest.fixture
async def made(made_address: Path | str) -> AsyncIterator[Made]:
    """A store with many referrals, on each engine in turn."""
    async with _opened(made_address) as made:
        assert {"customers", "referrals", "sightings", "counters"} <= made.large
        yield made


@pytest.fixture
async def judged(judged_address: Path | str) -> AsyncIterator[Made]:
    """A store with many fraud checks, the same way."""
    async with _opened(judged_address) as made:
        assert {"customers", "orders", "sightings", "fraud_checks"} <= made.large
        yield made


@asynccontextmanager
async def _opened(address: Path | str) -> AsyncIterator[Made]:
    if isinstance(address, Path):
        engine = SqliteDatabase(address)
        connection = apsw.Connection(str(address))
        yield Made(engine, partial(sqlite_work, connection, ALIASES), MOST_STEPS, await _large(engine))
        connection.close()
        await engine.close()
    else:
        database = await PostgresDatabase.open(address, 2)
        explaining = await asyncpg.connect(address)
        yield Made(database, partial(postgres_work, explaining), MOST_ROWS, await _large(database))
        await explaining.close()
        await database.close()


@pytest.mark.parametrize("name", READINGS)
async def test_a_reading_touches_little_more_than_it_answers(made: Made, name: str) -> None:
    async with made.engine.read() as tx:
        recorder = Recorder(tx)
        await READINGS[name](recorder)
    assert [work for work in await made.works(recorder) if not made.is_small(work)] == []


async def test_deeds_find_what_they_need_without_looking_through_a_table(made: Made, world: World) -> None:
    deps = replace(world.deps, clock=ManualClock(rows.NOW))
    form = SignUp("new@new.example", "New", referral_code=code(1), ip_address="203.0.113.9", device_id="d1")
    with suppress(Undone):
        async with made.engine.write() as tx:
            recorder = Recorder(tx)
            changes = Changes(spread=0)
            customer = (await services.sign_up_in(deps, recorder, form, changes)).customer
            cart = Cart(customer.id, (CartLine(1, 1),), "203.0.113.9", created_at=rows.NOW, paid_at=rows.NOW)
            await orders.place_in(deps, recorder, cart, changes)
            await changes.apply(recorder)
            raise Undone
    assert [work for work in await made.works(recorder) if not made.is_small(work)] == []


@pytest.mark.parametrize("name", FRAUD_READINGS)
async def test_a_reading_of_fraud_touches_little_more_than_it_answers(judged: Made, name: str) -> None:
    async with judged.engine.read() as tx:
        recorder = Recorder(tx)
        await FRAUD_READINGS[name](recorder)
    assert [work for work in await judged.works(recorder) if not judged.is_small(work)] == []


async def test_a_judged_order_and_its_review_find_what_they_need(judged: Made, world: World) -> None:
    deps = replace(world.deps, clock=ManualClock(END))
    cart = Cart(7, (CartLine(1, 1),), buyers.RUSH_ADDRESS, "DE", None, buyers.RUSH_DEVICE)
    with suppress(Undone):
        async with judged.engine.write() as tx:
            recorder = Recorder(tx)
            changes = Changes(spread=0)
            sale, _ = await orders.place_in(deps, recorder, cart, changes)
            assert sale.check
            check = await fraud_checks.for_change(recorder, sale.check.id)
            assert check
            await fraud_checks.review(recorder, check, "fraud", None, 1, END, changes)
            await changes.apply(recorder)
            raise Undone
    assert [work for work in await judged.works(recorder) if not judged.is_small(work)] == []


async def _large(engine: Engine) -> set[str]:
    found = set()
    async with engine.read() as tx:
        for table in metadata.sorted_tables:
            count = await tx.one(Query(select(func.count()).select_from(table)))
            if count and count[0] > LARGE:
                found.add(table.name)
    return found
