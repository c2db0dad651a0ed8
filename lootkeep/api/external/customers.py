"""Customers over HTTP, as the back office reads and changes them."""

from __future__ import annotations

from typing import Annotated, Literal

from lootkeep.api.http.fields import Country, EmailAddress, Money, QueryBoolean, field
from lootkeep.api.http.pages import ListQuery
from lootkeep.api.http.routes import Call, ExtensionRoute, Group, Reply, Route, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.api.records import customers as customer_records
from lootkeep.api.records.players import IdentityText
from lootkeep.domain.customers import MAX_TAG_LENGTH, CustomerStatus
from lootkeep.views import customers as customers_views


class CustomerQuery(ListQuery):
    """Filters and order of the list."""

    email: Annotated[EmailAddress | None, field("The customer with this e-mail address.")] = None
    status: Annotated[CustomerStatus | None, field("Only customers in this state.")] = None
    country: Annotated[Country | None, field("ISO 3166-1 alpha-2.")] = None
    accepts_marketing: Annotated[QueryBoolean | None, field("Whether the customer accepts campaigns.")] = None
    has_orders: Annotated[
        QueryBoolean | None, field("Whether they have an order that was paid and not refunded in full.")
    ] = None
    min_total_spent: Annotated[Money | None, field("The minimum total spent.")] = None
    tag: Annotated[str | None, field("Only customers with this tag.", max_length=MAX_TAG_LENGTH)] = None
    identity: Annotated[
        IdentityText | None, field("The customer who is this player, such as `steam:76561198000000000`.")
    ] = None
    sort: Annotated[
        Literal["id", "created_at", "name", "email", "orders_count", "total_spent", "last_order_at"],
        field("The sort field; customers without orders count as earliest."),
    ] = "created_at"


async def list_customers(call: Call[None, CustomerQuery]) -> Reply:
    has_orders = call.query.has_orders
    return await customer_records.answer_page(
        call, has_orders=1 if has_orders else None, has_no_orders=0 if has_orders is False else None
    )


async def get_customer(call: Call[None, None]) -> Reply:
    return await customer_records.read(call)


async def update_customer(call: Call[Body, None]) -> Reply:
    return await customer_records.change(call)


GROUP = Group(
    name="Customers",
    description="Customers with the totals of their orders.",
    routes=(
        Route(
            "GET",
            "/customers",
            list_customers,
            "customers:read",
            "List customers",
            paged(customers_views.CustomerView),
            description="Newest first by default. `search` covers name, e-mail address and players.",
        ),
        Route(
            "GET",
            "/customers/{id}",
            get_customer,
            "customers:read",
            "Read a customer",
            single(customers_views.CustomerView),
            description="Includes the totals of their orders and their referral code.",
        ),
        ExtensionRoute(
            "PUT",
            "/customers/{id}",
            update_customer,
            "customers:write",
            "Change a customer",
            single(customers_views.ChangedCustomerView, "Customer updated successfully"),
            body=customer_records.CustomerChanges,
            description="Changes only the fields that are sent. Orders of a blocked customer are rejected with "
            "`customer_blocked`.",
            may_conflict=True,
        ),
    ),
)
