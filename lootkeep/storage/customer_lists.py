"""Customers as they are listed, each with who brought them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam

from lootkeep.domain.customers import Customer
from lootkeep.kernel.paging import Order, Page
from lootkeep.storage import kept_lists
from lootkeep.storage.database import Transaction
from lootkeep.storage.dialect import Bytewise, Contains, ContainsShort
from lootkeep.storage.lists import Filter, Listing, Sort, among, at_least, at_most, equals, less_than
from lootkeep.storage.tables import customers

COUNTERS = ("customers.all",)


def _contains(contains: type[Contains], name: str) -> Filter:
    term = bindparam(f"wanted_{name}", type_=customers.c.search_text.type)
    return Filter(lambda _: contains(customers.c.search_text, term))


LISTING = Listing(
    customers,
    Customer,
    {
        "email": equals(customers.c.email, "email", is_sorted=False),
        "search": _contains(Contains, "search"),
        "country": equals(customers.c.country, "country"),
        "status": equals(customers.c.status, "status"),
        "min_total_spent": at_least(customers.c.total_spent, "min_total_spent"),
        "has_orders": at_least(customers.c.orders_count, "has_orders"),
        "has_no_orders": at_most(customers.c.orders_count, "has_no_orders"),
        "accepts_marketing": equals(customers.c.accepts_marketing, "accepts_marketing"),
        "search_short": _contains(ContainsShort, "search_short"),
        "from": at_least(customers.c.created_at, "from"),
        "to": less_than(customers.c.created_at, "to"),
    },
    {
        "id": Sort(customers.c.id),
        "created_at": Sort(customers.c.created_at),
        "name": Sort(Bytewise(customers.c.name)),
        "email": Sort(Bytewise(customers.c.email)),
        "orders_count": Sort(customers.c.orders_count),
        "total_spent": Sort(customers.c.total_spent),
        "last_order_at": Sort(customers.c.last_order_at, is_nullable=True),
    },
)


async def page(
    tx: Transaction, asked: Page, wanted: Mapping[str, Any], sort: str, order: Order
) -> tuple[list[Customer], int]:
    """A page of the list, and how many there are in all."""
    if wanted.keys() <= {"from", "to"}:
        return await kept_lists.page(tx, LISTING, COUNTERS, asked, wanted, sort, order)
    total = await LISTING.total(tx, wanted)
    return await LISTING.page(tx, asked, wanted, sort, order, total), total


async def referrers(tx: Transaction, found: Sequence[Customer]) -> dict[int, Customer]:
    """Who brought them, by id."""
    ids = [one.referred_by_id for one in found if one.referred_by_id is not None]
    return {one.id: one for one in await among(tx, customers, "id", Customer, ids)}
