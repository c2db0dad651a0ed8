"""Lists: every filter and sort order, alone and combined, compared with a plain computation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import select

from lootkeep.kernel.paging import ListRequest, PageRequest, SortDirection
from lootkeep.services import recount as recount_service
from lootkeep.storage.campaigns import rows as campaigns_db
from lootkeep.storage.customers import lists as customer_lists_db
from lootkeep.storage.engine.database import Database
from lootkeep.storage.engine.query import Query
from lootkeep.storage.events import lists as event_lists_db
from lootkeep.storage.fraud import check_lists as fraud_check_lists_db
from lootkeep.storage.gift_cards import lists as gift_card_lists_db
from lootkeep.storage.lists import Listing
from lootkeep.storage.orders import details as order_details_db, lists as order_lists_db
from lootkeep.storage.products import lists as product_lists_db
from lootkeep.storage.referrals import lists as referral_lists_db
from lootkeep.storage.schema import metadata, order_items
from lootkeep.storage.tickets import lists as ticket_lists_db
from lootkeep.storage.webhooks import log as log_db
from tests.storage.back_office import BackOffice
from tests.storage.plans import QueryRecorder
from tests.storage.shop import Filters, Row, RowFilter, ShopRows
from tests.world import World

ORDERS: tuple[SortDirection, ...] = ("asc", "desc")
UNLIMITED = 2**31
NEVER = 2**62
# The lists by their tables.
LISTINGS: dict[str, Listing[Any]] = {
    "orders": order_lists_db.LISTING,
    "customers": customer_lists_db.LISTING,
    "products": product_lists_db.LISTING,
    "email_campaigns": campaigns_db.LISTING,
    "gift_cards": gift_card_lists_db.LISTING,
    "support_tickets": ticket_lists_db.LISTING,
    "fraud_checks": fraud_check_lists_db.LISTING,
    "deliveries": log_db.LISTING,
    "referrals": referral_lists_db.REFERRALS,
}


def cases(filters: Filters) -> Iterator[tuple[dict[str, Any], list[RowFilter]]]:
    """Nothing, each filter, and each two that do not contradict each other."""
    yield {}, []
    for values, holds in filters.values():
        yield values, [holds]
    for (one, first), (other, second) in combinations(filters.values(), 2):
        if not one.keys() & other.keys():
            yield {**one, **other}, [first, second]


def sort_key(sort: str, row: Row) -> Any:
    value = row[sort]
    if value is None:
        value = {"stock": UNLIMITED, "expires_at": NEVER}.get(sort)
    if isinstance(value, str):
        value = value.encode()
    return (value is not None, value or 0 if not isinstance(value, bytes) else value, row["id"])


def expected(rows: list[Row], holds: list[RowFilter], sort: str, order: SortDirection) -> list[int]:
    matching = [row for row in rows if all(is_so(row) for is_so in holds)]
    return [row["id"] for row in sorted(matching, key=lambda row: sort_key(sort, row), reverse=order == "desc")]


async def stored(db: Database, kind: str) -> list[Row]:
    """The rows as a recount left them, with the names of the others."""
    table = metadata.tables[kind]
    async with db.read() as tx:
        rows = [dict(zip(table.c.keys(), row, strict=True)) for row in await tx.all(Query(select(table)))]
    if kind == "referrals":
        return [row | {"id": row["customer_id"], "created_at": row["referred_at"]} for row in rows]
    return [row for row in rows if row.get("deleted_at") is None]


def id_of(row: Any) -> int:
    record = row.order if isinstance(row, order_details_db.OrderRow) else row
    return int(getattr(record, "id", None) or record.customer_id)


async def everything(
    db: Database, listing: Listing[Any], values: dict[str, Any], sort: str, order: SortDirection
) -> list[int]:
    """The ids on all pages of a list, of which there are about three."""
    ids: list[int] = []
    async with db.read() as tx:
        _, total = await listing.page(tx, ListRequest(PageRequest(1, 1), values, sort, order))
        size = max(1, -(-total // 3))
        for number in range(1, 5):
            rows, again = await listing.page(tx, ListRequest(PageRequest(number, size), values, sort, order))
            assert again == total
            ids += [id_of(row) for row in rows]
    assert len(ids) == total
    return ids


@pytest.mark.parametrize(
    ("max_sorted", "max_skipped"), [(0, 0), (2_000, 100)], ids=["along the sort from a day on", "fetched and sorted"]
)
@pytest.mark.parametrize("kind", LISTINGS)
async def test_every_filter_and_sort_order_equals_a_plain_computation(
    world: World, kind: str, max_sorted: int, max_skipped: int
) -> None:
    shop = ShopRows(7, 150)
    office = BackOffice(shop)
    await office.open(world.db)
    await recount_service.rebuild(world.deps)
    rows = await stored(world.db, kind)
    always: dict[str, Any] = {}
    if kind == "deliveries":
        always, rows = {"webhook_id": 1}, [row for row in rows if row["webhook_id"] == 1]
    listing = replace(LISTINGS[kind], max_sorted=max_sorted, max_skipped=max_skipped, _queries={})
    of_shop = {"orders": shop.order_filters, "customers": shop.customer_filters, "products": shop.product_filters}
    filters = of_shop[kind]() if kind in of_shop else office.filters(kind)
    for number, (values, holds) in enumerate(cases(filters)):
        # Each alone in every order; two together in one of them, each in turn.
        sorts = list(listing.sorts) if len(holds) < 2 else [list(listing.sorts)[number % len(listing.sorts)]]
        for sort in sorts:
            order = ORDERS[number % 2]
            records = await everything(world.db, listing, always | values, sort, order)
            assert records == expected(rows, holds, sort, order), (values, sort, order)


async def test_a_list_that_counts_up_to_a_limit_ends_with_its_last_row(world: World) -> None:
    shop = ShopRows(7, 150)
    await BackOffice(shop).open(world.db)
    ids = sorted(row["id"] for row in await stored(world.db, "deliveries") if row["webhook_id"] == 1)
    assert len(ids) > 20
    listing = replace(log_db.LISTING, max_counted=10, _queries={})
    seen: list[int] = []
    is_counted, total = False, 1
    async with world.db.read() as tx:
        while len(seen) < total:
            request = ListRequest(PageRequest(len(seen) // 5 + 1, 5), {"webhook_id": 1}, order="asc")
            rows, total = await listing.page(tx, request)
            is_counted = listing.is_counted(request, total)
            assert (total, is_counted) == (min(len(ids), len(seen) + 10), len(ids) < len(seen) + 10)
            seen += [delivery.id for delivery in rows]
    assert (seen, total, is_counted) == (ids, len(ids), True)


async def test_events_of_a_range_that_are_not_all_counted_are_not_fetched_to_be_sorted(world: World) -> None:
    shop = ShopRows(7, 150)
    await BackOffice(shop).open(world.db)
    rows = await stored(world.db, "events")
    first = sorted(row["created_at"] for row in rows)[len(rows) // 3]
    ids = sorted((row["id"] for row in rows if row["created_at"] >= first), reverse=True)
    listing = replace(event_lists_db.LISTING, max_counted=10, _queries={})
    request = ListRequest(PageRequest(1, 5), {"from": first})
    async with world.db.read() as tx:
        recorder = QueryRecorder(tx)
        events, total = await listing.page(recorder, request)
    assert len(ids) > 10
    assert ([event.id for event in events], total) == (ids[:5], 10)
    assert ["fetched" in asked.query.sqlite.sql for asked in recorder.asked] == [False, False]


async def test_a_listed_order_comes_with_its_customer_and_all_its_lines(world: World) -> None:
    shop = ShopRows(3, 40)
    await shop.open(world.db)
    await recount_service.rebuild(world.deps)
    async with world.db.read() as tx:
        rows, _ = await order_lists_db.LISTING.page(tx, ListRequest(PageRequest(1, 40), {}, "id", "asc"))
        sales = await order_details_db.with_items(tx, rows)
        stored = await tx.all(Query(select(order_items.c.order_id, order_items.c.id).order_by(order_items.c.id)))
    assert [(details.order.id, line.id) for details in sales for line in details.items] == stored
    assert [details.customer.email for details in sales] == [shop.emails[row["customer_id"]] for row in shop.orders]
