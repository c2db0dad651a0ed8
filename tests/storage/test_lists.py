"""Lists of products, orders and customers: every filter and order, alone and together, against a plain reckoning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import select

from lootkeep.kernel.paging import Order, Page
from lootkeep.services import recount
from lootkeep.storage import customer_lists, order_lists, product_lists
from lootkeep.storage.database import Database
from lootkeep.storage.lists import Listing
from lootkeep.storage.query import Query
from lootkeep.storage.tables import order_items
from tests.storage.shop import Is, Row, Shop
from tests.world import World

MANY = 2_400
ORDERS: tuple[Order, ...] = ("asc", "desc")
UNLIMITED = 2**31


def cases(filters: dict[str, tuple[dict[str, Any], Is]]) -> Iterator[tuple[dict[str, Any], list[Is]]]:
    """Nothing, each filter, and each two that do not contradict each other."""
    yield {}, []
    for values, holds in filters.values():
        yield values, [holds]
    for (one, first), (other, second) in combinations(filters.values(), 2):
        if not one.keys() & other.keys():
            yield {**one, **other}, [first, second]


def sort_key(sort: str, row: Row) -> Any:
    value = row[sort]
    if sort == "stock":
        value = UNLIMITED if value is None else value
    if isinstance(value, str):
        value = value.encode()
    return (value is not None, value or 0 if not isinstance(value, bytes) else value, row["id"])


def expected(rows: list[Row], holds: list[Is], sort: str, order: Order) -> list[int]:
    found = [row for row in rows if all(is_so(row) for is_so in holds)]
    return [row["id"] for row in sorted(found, key=lambda row: sort_key(sort, row), reverse=order == "desc")]


async def everything(db: Database, listing: Listing[Any], values: dict[str, Any], sort: str, order: Order) -> list[int]:
    """All pages of a list, the last ones first, so that each is found from its own end."""
    async with db.read() as tx:
        total = await listing.total(tx, values)
        size = max(1, -(-total // 3))
        pages = [await listing.page(tx, Page(number, size), values, sort, order, total) for number in (3, 2, 1)]
    return [row.id for page in reversed(pages) for row in page]


@pytest.mark.parametrize("few", [0, 2_000], ids=["along the order", "gathered"])
@pytest.mark.parametrize("kind", ["orders", "customers", "products"])
async def test_every_filter_and_order_gives_what_a_plain_reckoning_gives(world: World, kind: str, few: int) -> None:
    shop = Shop(7, 150)
    await shop.open(world.db)
    listings: dict[str, Listing[Any]] = {
        "orders": order_lists.LISTING,
        "customers": customer_lists.LISTING,
        "products": product_lists.LISTING,
    }
    listing = replace(listings[kind], few=few, _queries={})
    rows = [row for row in getattr(shop, kind) if row.get("deleted_at") is None]
    filters = {"orders": shop.order_filters, "customers": shop.customer_filters, "products": shop.product_filters}
    for number, (values, holds) in enumerate(cases(filters[kind]())):
        # Each alone in every order; two together in one of them, each in turn.
        sorts = list(listing.sorts) if len(holds) < 2 else [list(listing.sorts)[number % len(listing.sorts)]]
        for sort in sorts:
            order = ORDERS[number % 2]
            found = await everything(world.db, listing, values, sort, order)
            assert found == expected(rows, holds, sort, order), (values, sort, order)


@pytest.mark.parametrize("order", ORDERS)
async def test_far_pages_that_are_found_by_the_counts_per_day_are_the_right_ones(world: World, order: Order) -> None:
    shop = Shop(11, MANY)
    await shop.open(world.db)
    await recount.rebuild(world.deps)
    filters = shop.order_filters()
    for names in ((), ("status",), ("from",), ("to",), ("from", "to"), ("status", "from", "to")):
        wanted = {name: value for one in names for name, value in filters[one][0].items()}
        right = expected(shop.orders, [filters[name][1] for name in names], "created_at", order)
        async with world.db.read() as tx:
            for number in range(1, len(right) // 50 + 2):
                found, total = await order_lists.page(tx, Page(number, 50), wanted, "created_at", order)
                assert total == len(right)
                assert [sale.order.id for sale in found] == right[(number - 1) * 50 : number * 50], (names, number)


async def test_a_listed_order_comes_with_its_customer_and_all_its_lines(world: World) -> None:
    shop = Shop(3, 40)
    await shop.open(world.db)
    async with world.db.read() as tx:
        found = await order_lists.LISTING.page(tx, Page(1, 40), {}, "id", "asc", 40)
        sales = await order_lists.sales(tx, found)
        stored = await tx.all(Query(select(order_items.c.order_id, order_items.c.id).order_by(order_items.c.id)))
    assert [(sale.order.id, line.id) for sale in sales for line in sale.items] == stored
    assert [sale.customer.email for sale in sales] == [shop.emails[row["customer_id"]] for row in shop.orders]
