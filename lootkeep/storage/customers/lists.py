"""Lists of customers, each with their referrer."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from lootkeep.domain.customers import Customer
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import Bytewise
from lootkeep.storage.filters import at_least, at_most, contains, contains_short, equals, listed, subquery, within
from lootkeep.storage.lists import Counted, Listing, Sort
from lootkeep.storage.rows import one_of
from lootkeep.storage.schema import customer_identities, customer_tags, customers

_TAGGED = select(customer_tags.c.customer_id).where(customer_tags.c.tag == bindparam("wanted_tag"))
_IDENTIFIED = select(customer_identities.c.customer_id).where(
    customer_identities.c.player == bindparam("wanted_identity")
)

LISTING = Listing(
    customers,
    Customer,
    {
        "ids": listed(customers.c.id),
        "email": equals(customers.c.email, "email", "unsorted"),
        "external_id": equals(customers.c.external_id, "external_id", "unsorted"),
        "search": contains(customers.c.search_text),
        "search_masked": contains(customers.c.search_text, "search_masked"),
        "tag": subquery(customers.c.id, _TAGGED),
        "identity": subquery(customers.c.id, _IDENTIFIED),
        "country": equals(customers.c.country, "country"),
        "status": equals(customers.c.status, "status"),
        "min_total_spent": at_least(customers.c.total_spent, "min_total_spent"),
        "has_orders": at_least(customers.c.orders_count, "has_orders"),
        "has_no_orders": at_most(customers.c.orders_count, "has_no_orders"),
        "accepts_marketing": equals(customers.c.accepts_marketing, "accepts_marketing"),
        "search_short": contains_short(customers.c.search_text),
        "search_short_masked": contains_short(customers.c.search_text, "search_short_masked"),
        **within(customers.c.created_at),
    },
    {
        "created_at": Sort(customers.c.created_at),
        "id": Sort(customers.c.id),
        "name": Sort(Bytewise(customers.c.name)),
        "email": Sort(Bytewise(customers.c.email)),
        "orders_count": Sort(customers.c.orders_count),
        "total_spent": Sort(customers.c.total_spent),
        "last_order_at": Sort(customers.c.last_order_at, nulls="smallest"),
    },
    Counted(lambda _: ["customers.all"]),
)


async def referrers(tx: Transaction, people: Sequence[Customer]) -> dict[int, Customer]:
    """Their referrers, by id."""
    ids = [customer.referred_by_id for customer in people if customer.referred_by_id is not None]
    return {customer.id: customer for customer in await one_of(tx, customers, "id", Customer, ids)}
