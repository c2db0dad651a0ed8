"""No query of fraud detection walks through a large table, sorts one, or touches more than a page is worth."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bench import buyers, data
from bench.people import END
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import DAY, Instant, ManualClock
from lootkeep.kernel.paging import Page
from lootkeep.services import checkout
from lootkeep.storage import counters, fraud_checks, fraud_history, fraud_lists
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from lootkeep.storage.fraud_lists import Filters
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.storage.made import Made, opened
from tests.storage.plans import Recorder
from tests.world import World

ORDERS = 50_000

Reading = Callable[[Transaction], Awaitable[Any]]


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
        await fraud_history.gather(tx, Policy(), [fraud_history.Buyer(END, email, address, device, customer_id=7)])
        await fraud_history.ends(tx, Policy(), END, email=email, ip_address=address)

    return read


READINGS: dict[str, Reading] = {
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
def judged_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judged") / "judged.db"
    asyncio.run(data.make_sqlite(path, data.ORDERS, ORDERS))
    return path


@pytest.fixture(scope="session")
def judged_postgresql(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_judged"))
    asyncio.run(data.make_postgres(url, data.ORDERS, ORDERS))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture(params=ENGINES)
def judged_address(request: pytest.FixtureRequest) -> Path | str:
    found: Path | str = request.getfixturevalue(f"judged_{request.param}")
    return found


@pytest.fixture
async def judged(judged_address: Path | str) -> AsyncIterator[Made]:
    """A store with many fraud checks, on each engine in turn."""
    async with opened(judged_address) as made:
        assert {"customers", "orders", "sightings", "fraud_checks"} <= made.large
        yield made


@pytest.mark.parametrize("name", READINGS)
async def test_a_reading_of_fraud_touches_little_more_than_it_answers(judged: Made, name: str) -> None:
    async with judged.engine.read() as tx:
        recorder = Recorder(tx)
        await READINGS[name](recorder)
    assert [work for work in await judged.works(recorder) if not judged.is_small(work)] == []


async def test_a_judged_order_and_its_review_find_what_they_need(judged: Made, world: World) -> None:
    deps = replace(world.deps, clock=ManualClock(END))
    cart = Cart(7, (CartLine(1, 1),), buyers.RUSH_ADDRESS, "DE", None, buyers.RUSH_DEVICE)
    with suppress(Undone):
        async with judged.engine.write() as tx:
            recorder = Recorder(tx)
            changes = Changes(spread=0)
            sale, _ = await checkout.place_in(deps, recorder, cart, changes)
            assert sale.check
            check = await fraud_checks.for_change(recorder, sale.check.id)
            assert check
            await fraud_checks.review(recorder, check, "fraud", None, 1, END, changes)
            await changes.apply(recorder)
            raise Undone
    assert [work for work in await judged.works(recorder) if not judged.is_small(work)] == []
