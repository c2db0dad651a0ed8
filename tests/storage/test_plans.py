"""No query of referrals, gift cards and analytics scans a large table or reads much more than it returns."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace as replace_in
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from bench import data, rows
from bench.lists import asking
from bench.people import RARE, code
from lootkeep.domain.analytics import DateRange, TopCustomer, buckets
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.gift_cards import GiftCardStatus
from lootkeep.domain.identity import Trace
from lootkeep.domain.sign_up import SignUp
from lootkeep.kernel.clock import DAY, Instant, ManualClock
from lootkeep.kernel.paging import PageRequest, SortDirection
from lootkeep.services import customers as customers_service, orders as orders_service
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import identity as identity_db
from lootkeep.storage.gift_cards import (
    lists as gift_card_lists_db,
    rows as gift_cards_db,
    status_changes as gift_card_status_changes_db,
)
from lootkeep.storage.goods import expiring as expiring_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.referrals import (
    claims as claims_db,
    lists as referral_lists_db,
    rows as referrals_db,
    tiers as tiers_db,
)
from lootkeep.storage.sales import analytics as analytics_db, direct as sales_direct_db, growth as growth_db
from lootkeep.storage.totals import counters as counters_db
from tests.storage.generated_store import GeneratedStore, Rollback, location_of, opened
from tests.storage.plans import QueryRecorder
from tests.world import World

SIZE = 20_000
Reading = Callable[[Transaction], Awaitable[Any]]

YEAR = DateRange(date(2025, 2, 11), date(2026, 2, 10), "UTC")


_CARDS = gift_card_lists_db.LISTING
_TWO_DAYS = {"from": Instant(rows.NOW - 40 * DAY), "to": Instant(rows.NOW - 38 * DAY)}
LISTS: dict[str, Reading] = {
    "referrals": asking(referral_lists_db.REFERRALS, {}),
    "pending referrals": asking(referral_lists_db.REFERRALS, {"status": "pending"}),
    "search for referrals": asking(referral_lists_db.REFERRALS, {"search": RARE}),
    "search for referrals, second page": asking(referral_lists_db.REFERRALS, {"search": RARE}, page=PageRequest(2, 15)),
    "search for pending referrals": asking(referral_lists_db.REFERRALS, {"search": RARE, "status": "pending"}),
    "claims": asking(referral_lists_db.CLAIMS, {}),
    "refused": asking(referral_lists_db.REFUSED, {}),
    "cards of two days": asking(_CARDS, _TWO_DAYS),
    "cards of a customer": asking(_CARDS, {"customer_id": 50, "status": "active", "currency": "USD"}),
    "cards of an order": asking(_CARDS, {"order_id": 50}, "balance"),
    "cards for an address": asking(_CARDS, {"recipient_email": "player9@mail.example", "status": "active"}, "id"),
    "search for cards": asking(_CARDS, {"search": RARE, "status": "active"}),
    **{
        f"cards by {sort}, {order}, {' and '.join(filters.values()) or 'all'}": asking(
            _CARDS, filters, sort, PageRequest(2, 15), order
        )
        for sort in _CARDS.sorts
        for order in get_args(SortDirection)
        for filters in (
            {},
            *({"status": status} for status in get_args(GiftCardStatus)),
            {"currency": "EUR"},
            {"currency": "EUR", "status": "active"},
            {"currency": "USD"},
            {"currency": "USD", "status": "active"},
        )
    },
}

READINGS: dict[str, Reading] = {
    "statistics": lambda tx: counters_db.totals(tx, "referrals."),
    "leaderboard at sign-up": lambda tx: referral_lists_db.leaderboard(tx, "signup", 10),
    "leaderboard at first purchase": lambda tx: referral_lists_db.leaderboard(tx, "first_purchase", 100),
    "top referrers": lambda tx: referral_lists_db.top_referrers(tx, 100),
    "card by code": lambda tx: gift_cards_db.ROWS.find_one(tx, code_hash=f"{77:064x}"),
    "ledger of a card": lambda tx: gift_cards_db.ENTRIES.find(tx, gift_card_id=77),
    "redemption by reference": lambda tx: gift_cards_db.by_reference(tx, 77, "till-1"),
    "card that pays for an order": lambda tx: gift_cards_db.paying_for(tx, 77),
    "cards bought in an order": lambda tx: gift_cards_db.bought_in(tx, 77),
    "cards that turn": lambda tx: gift_card_status_changes_db.are_due(tx, rows.NOW),
    "code validation": lambda tx: customers_db.ROWS.find_one(tx, referral_code=code(5000)),
    "customer": lambda tx: customers_db.ROWS.get(tx, 5000),
    "lines that have ended": lambda tx: expiring_db.due_orders(tx, rows.NOW),
    "customer by e-mail": lambda tx: customers_db.ROWS.find_one(tx, email="nobody@mail1.example"),
    "customer by external id": lambda tx: customers_db.ROWS.find_one(tx, external_id="c1"),
    "customers by e-mail": lambda tx: customers_db.ROWS.ids_by(tx, "email", ["a@mail1.example", "b@mail1.example"]),
    "orders by external id": lambda tx: orders_db.ROWS.ids_by(tx, "external_id", ["o1", "o2"]),
    "referrer": lambda tx: referrals_db.referrer(tx, 1),
    "referrer for change": lambda tx: referrals_db.get_referrer_for_update(tx, 1),
    "own claims": lambda tx: claims_db.of_customer(tx, 1),
    "claim": lambda tx: claims_db.get(tx, 1, 1),
    "tiers": tiers_db.all_tiers,
    "seen with": lambda tx: identity_db.seen_with(tx, Trace("mailbox", "nobody@mail1.example"), (1,)),
    "ancestors": lambda tx: identity_db.ancestors(tx, SIZE),
    "revenue": lambda tx: analytics_db.series(tx, buckets(YEAR, "month"), None),
    "revenue elsewhere": lambda tx: analytics_db.series(
        tx, buckets(replace(YEAR, zone="Asia/Kathmandu"), "month"), None
    ),
    "countries": lambda tx: analytics_db.parts(tx, "country", YEAR.start, YEAR.end, "USD"),
    "products": lambda tx: analytics_db.parts(tx, "product", YEAR.start, YEAR.end, "USD"),
    "states": lambda tx: analytics_db.parts(tx, "status", YEAR.start, YEAR.end, "USD"),
}


store_location = location_of(
    "made",
    partial(data.make_sqlite, plan=data.REFERRALS, size=SIZE),
    partial(data.make_postgres, plan=data.REFERRALS, size=SIZE),
)


@pytest.fixture(scope="module")
async def store(store_location: Path | str) -> AsyncIterator[GeneratedStore]:
    """A store with many referrals, on each engine in turn."""
    async with opened(store_location) as store:
        assert {"customers", "referrals", "sightings"} <= store.large
        yield store


@pytest.mark.parametrize("name", LISTS)
async def test_a_first_page_uses_an_index(store: GeneratedStore, name: str) -> None:
    async with store.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await LISTS[name](recorder)
    assert [work for work in await store.works(recorder) if not store.is_by_index(work)] == []


@pytest.mark.parametrize("name", READINGS)
async def test_a_query_reads_little_more_than_it_returns(store: GeneratedStore, name: str) -> None:
    async with store.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await READINGS[name](recorder)
    assert [work for work in await store.works(recorder) if not store.is_small(work)] == []


async def test_reports_of_a_year_go_along_an_index(store: GeneratedStore) -> None:
    async with store.engine.read() as tx:
        recorder = QueryRecorder(tx)
        await sales_direct_db.unique_customers(recorder, YEAR.start, YEAR.end, None)
        await growth_db.cohorts(recorder, [Instant(YEAR.start + month * 30 * DAY) for month in range(13)])
        await growth_db.funnel(recorder, YEAR.start, YEAR.end)
        await growth_db.campaign_results(recorder, YEAR.start, YEAR.end, "USD", 7 * DAY, 10)
        await growth_db.coupon_results(recorder, YEAR.start, YEAR.end, "USD", 10)
    assert [work for work in await store.works(recorder) if not store.is_by_index(work)] == []


@pytest.mark.parametrize("days", [1, 7, 30, 180, 365])
async def test_top_customers_are_the_same_whether_all_orders_are_added_up_or_few(
    store: GeneratedStore, days: int
) -> None:
    async with store.engine.read() as tx:
        for start in range(YEAR.start, YEAR.end, days * DAY):
            times = (Instant(start), Instant(min(start + days * DAY, YEAR.end)), "USD", 10)
            best = await sales_direct_db.top_customers(tx, *times, orders=SIZE, product_id=None)
            assert spent(best) == spent(await sales_direct_db.top_customers(tx, *times, orders=0, product_id=None))


async def test_top_customers_of_all_orders_are_found_without_adding_up_everyone(store: GeneratedStore) -> None:
    times = (Instant(0), rows.NOW, "USD", 10)
    async with store.engine.read() as tx:
        recorder = QueryRecorder(tx)
        best = await sales_direct_db.top_customers(recorder, *times, orders=SIZE, product_id=None)
        assert spent(best) == spent(await sales_direct_db.top_customers(tx, *times, orders=0, product_id=None))
    added_up = [query.values.get("candidates") for query in recorder.asked if "size" in query.values]
    assert (len(best), added_up) == (10, [50])


def spent(customers: list[TopCustomer]) -> list[int]:
    """The same for any choice among those who spent alike."""
    return [customer.spent for customer in customers]


async def test_operations_need_no_table_scan(store: GeneratedStore, world: World) -> None:
    deps = replace_in(world.deps, clock=ManualClock(rows.NOW))
    form = SignUp("new@new.example", "New", referral_code=code(1), ip_address="203.0.113.9", device_id="d1")
    with suppress(Rollback):
        async with store.engine.write() as tx:
            recorder = QueryRecorder(tx)
            customer = (await customers_service.sign_up_in(deps, recorder, form)).customer
            cart = Cart(customer.id, (CartLine(1, 1),), "203.0.113.9", created_at=rows.NOW, paid_at=rows.NOW)
            await orders_service.import_history(deps, recorder, [cart])
            await recorder.totals.apply(recorder)
            raise Rollback
    assert [work for work in await store.works(recorder) if not store.is_small(work)] == []
