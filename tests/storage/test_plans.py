"""No query of the referral program walks through a large table, sorts one, or touches more than a page is worth."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench import data, rows
from bench.people import RARE, code
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.identity import Trace
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import ManualClock
from lootkeep.kernel.paging import Page
from lootkeep.services import customers as services
from lootkeep.services import orders
from lootkeep.storage import claims, counters, customers, identity, natural_keys, referral_lists, referrals, tiers
from lootkeep.storage.counters import Changes
from lootkeep.storage.database import Transaction
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.storage.made import Made, opened
from tests.storage.plans import Recorder
from tests.world import World

SIZE = 20_000
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


class Undone(Exception):
    """Takes a deed back."""


@pytest.fixture(scope="session")
def made_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "made.db"
    asyncio.run(data.make_sqlite(path, data.REFERRALS, SIZE))
    return path


@pytest.fixture(scope="session")
def made_postgresql(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_made"))
    asyncio.run(data.make_postgres(url, data.REFERRALS, SIZE))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture(params=ENGINES)
def made_address(request: pytest.FixtureRequest) -> Path | str:
    found: Path | str = request.getfixturevalue(f"made_{request.param}")
    return found


@pytest.fixture
async def made(made_address: Path | str) -> AsyncIterator[Made]:
    """A store with many referrals, on each engine in turn."""
    async with opened(made_address) as made:
        assert {"customers", "referrals", "sightings", "counters"} <= made.large
        yield made


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
