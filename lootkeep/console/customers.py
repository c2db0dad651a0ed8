"""The list of customers, and everything of one customer on a page."""

from __future__ import annotations

from operator import attrgetter

import msgspec

from lootkeep.console import customer_story, lists
from lootkeep.console.columns import AGO, BADGE, COUNT, NAME, TEXT, Column, amount
from lootkeep.console.gift_cards import GIFT_CARDS
from lootkeep.console.labels import options
from lootkeep.console.lists import Choice, ListPage, is_yes
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.console.referrals import REFERRALS
from lootkeep.console.tickets import TICKETS
from lootkeep.domain.customers import CustomerStatus
from lootkeep.storage import customer_lists

CUSTOMERS = ListPage(
    listing=customer_lists.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("E-mail", "email", NAME, "email"),
        Column("Country", "country", TEXT),
        Column("Status", "status", BADGE),
        Column("Orders", "orders_count", COUNT, "orders_count"),
        Column("Spent", "total_spent", amount(), "total_spent"),
        Column("Last order", "last_order_at", AGO, "last_order_at"),
        Column("Signed up", "created_at", AGO, "created_at"),
    ),
    link=lambda customer: f"/customers/{customer.id}",
    empty="Customers appear here as the store signs them up through the Store API.",
    file="customers",
    choices=(
        Choice("has_orders", "Orders", {"1": "Has ordered"}, int, is_open=True),
        Choice("has_no_orders", "Orders", {"0": "Never ordered"}, int, is_open=True),
        Choice("status", "Status", options(CustomerStatus)),
        Choice("accepts_marketing", "Campaigns", {"yes": "Accepts", "no": "Declines"}, is_yes),
    ),
    linked={"country": ("Country", str.upper), "tag": ("Tag", str)},
    search="Name or e-mail",
)
_NO_TICKET = "This customer has never asked for help."
_NO_CARD = "Cards that this customer buys or is given will be here."
# What the page of a customer shows: the records of their story, as which table, and where the rest is.
_TABLES = {
    "orders": (
        ORDERS.only("Order", "Status", "Risk", "Total", "Placed", empty="No order yet. The first one will be here."),
        "/orders?customer_id=",
    ),
    "tickets": (
        TICKETS.only("Ticket", "Subject", "Status", "Priority", "Last message", empty=_NO_TICKET),
        "/tickets?customer_id=",
    ),
    "gift_cards": (
        GIFT_CARDS.only("Card", "Status", "Balance", "Issued with", "Issued", empty=_NO_CARD),
        "/gift-cards?customer_id=",
    ),
    "referred": (
        REFERRALS.only("Customer", "Status", "First order", "Signed up", empty="Nobody has used their code yet."),
        "/referrals/list?referrer_id=",
    ),
}


async def show_customer(visit: Visit) -> Answer:
    story = await customer_story.load(visit.deps, visit.id)
    return {
        "story": story,
        "customer": story.customer,
        "title": story.customer.name,
        "tags": msgspec.json.decode(story.customer.tags),
        "tables": [(name, table, attrgetter(name)(story), f"{to}{visit.id}") for name, (table, to) in _TABLES.items()],
    }


PAGES = (
    lists.page("/customers", "Customers", CUSTOMERS, "Sell"),
    Page("GET", "/customers/{id}", "read_only", "Customer", show_customer, "customer.html"),
)
