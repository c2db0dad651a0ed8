"""Customers over HTTP, as the back office reads them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lootkeep.api.http.fields import Country, Email, Money, QueryBoolean
from lootkeep.api.http.pages import ListQuery
from lootkeep.api.http.routes import Call, Group, Reply, Route, paged, single
from lootkeep.domain.customers import CustomerStatus
from lootkeep.kernel.errors import existing
from lootkeep.storage import customer_lists
from lootkeep.storage import customers as customers_db
from lootkeep.views import customers as customers_views


class CustomerQuery(ListQuery):
    """Filters and order of the list."""

    email: Annotated[Email | None, Field(description="The customer with this e-mail.")] = None
    status: Annotated[CustomerStatus | None, Field(description="Only customers in this state.")] = None
    country: Annotated[Country | None, Field(description="ISO 3166-1 alpha-2.")] = None
    accepts_marketing: Annotated[QueryBoolean | None, Field(description="Whether campaigns may be sent.")] = None
    has_orders: Annotated[
        QueryBoolean | None, Field(description="Whether they have an order that counts: paid and not fully refunded.")
    ] = None
    min_total_spent: Annotated[Money | None, Field(description="Spent at least so much.")] = None
    sort: Annotated[
        Literal["id", "created_at", "name", "email", "orders_count", "total_spent", "last_order_at"],
        Field(description="What to sort by; who never ordered comes before everyone who did."),
    ] = "created_at"


async def list_customers(call: Call[None, CustomerQuery]) -> Reply:
    query = call.query
    request = query.request(
        has_orders=1 if query.has_orders else None, has_no_orders=0 if query.has_orders is False else None
    )
    async with call.deps.db.read(slow=request.is_slow) as tx:
        customers, total = await customer_lists.LISTING.page(tx, request)
        brought_by = await customer_lists.referrers(tx, customers)
    listed = [customers_views.customer(one, brought_by.get(one.referred_by_id or 0)) for one in customers]
    return Reply(listed, page=query.asked, total=total)


async def get_customer(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        customer = existing(await customers_db.get(tx, call.id), "Customer")
        brought_by = await customer_lists.referrers(tx, [customer])
    return Reply(customers_views.customer(customer, brought_by.get(customer.referred_by_id or 0)))


GROUP = Group(
    name="Customers",
    description="Who buys, with what they have bought so far.",
    routes=(
        Route(
            "GET",
            "/customers",
            list_customers,
            "customers:read",
            "List customers",
            paged(customers_views.CustomerView),
            query=CustomerQuery,
            description="Newest first unless `sort` and `order` say otherwise. `search` looks through name and e-mail.",
        ),
        Route(
            "GET",
            "/customers/{id}",
            get_customer,
            "customers:read",
            "Read a customer",
            single(customers_views.CustomerView),
            description="With the figures of their orders and their referral code.",
        ),
    ),
)
