"""The first pages of the longest lists use an index, for every filter, sort order and search."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bench import lists
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage.customers import export as customer_export_db
from tests.conftest import ENGINES, drop_postgres_database, new_postgres_database
from tests.storage.generated_store import GeneratedStore, opened
from tests.storage.plans import QueryRecorder

SIZE = 20_000
# The last days, not half of all days as in the benchmark: to count half a table, a scan is as good as an index.
NEWEST = {"from": Instant(lists.BEGIN + (lists.DAYS - 4) * DAY)}
READINGS = {
    **{
        f"{name}, search": lists.asking(case.listing, {"search": lists.RARE})
        for name, case in lists.LISTS.items()
        if "search" in case.listing.filters
    },
    **{
        f"{name}, search without e-mails": lists.asking(case.listing, {"search": lists.RARE, "masks": True})
        for name, case in lists.LISTS.items()
        if "search_masked" in case.listing.filters
    },
    **{
        f"{name} by {sort}, {chosen}": lists.asking(case.listing, filters, sort)
        for name, case in lists.LISTS.items()
        for sort in case.listing.sorts
        for chosen, filters in (
            ("all", {}),
            *((chosen, {chosen: NEWEST.get(chosen, value)}) for chosen, value in case.values.items()),
        )
    },
}
# Searched for by each list; a short term is looked for in every row, which the documentation says.
UNREAD = {"search", "search_short", "search_masked", "search_short_masked"}


@pytest.fixture(scope="session")
def listed_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("listed") / "listed.db"
    asyncio.run(lists.make_sqlite(path, SIZE))
    return path


@pytest.fixture(scope="session")
def listed_postgresql(postgres_admin_url: str, worker_id: str, testrun_uid: str) -> Iterator[str]:
    url = asyncio.run(new_postgres_database(postgres_admin_url, f"lootkeep_{testrun_uid[:8]}_{worker_id}_listed"))
    asyncio.run(lists.make_postgres(url, SIZE))
    yield url
    asyncio.run(drop_postgres_database(postgres_admin_url, url))


@pytest.fixture(scope="module", params=ENGINES)
def listed_db_location(request: pytest.FixtureRequest) -> Path | str:
    path: Path | str = request.getfixturevalue(f"listed_{request.param}")
    return path


@pytest.fixture(scope="module")
async def store(listed_db_location: Path | str) -> AsyncIterator[GeneratedStore]:
    """A store with many rows in every list, on each engine in turn."""
    async with opened(listed_db_location) as store:
        assert {
            "orders",
            "customers",
            "products",
            "email_campaigns",
            "coupons",
            "creators",
            "payment_events",
        } <= store.large
        yield store


@pytest.mark.parametrize("name", lists.LISTS)
def test_every_filter_of_a_list_is_tested_here(name: str) -> None:
    listing = lists.LISTS[name]
    assert set(listing.values) == set(listing.listing.filters) - UNREAD


@pytest.mark.parametrize("name", READINGS)
async def test_a_first_page_uses_an_index(store: GeneratedStore, name: str) -> None:
    async with store.engine.read() as tx:
        recorder = QueryRecorder(tx)
        rows, _ = await READINGS[name](recorder)
    assert rows
    assert [work for work in await store.works(recorder) if not store.is_by_index(work)] == []


async def test_the_data_of_a_customer_is_found_by_indexes(store: GeneratedStore) -> None:
    async with store.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await customer_export_db.stored_data(recorder, 7, "payer7@mail.example")
    assert [work for work in await store.works(recorder) if not store.is_small(work)] == []
