"""The search over everything: orders, customers, tickets, gift cards and deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lootkeep.console import lists
from lootkeep.console.customers import CUSTOMERS
from lootkeep.console.gift_cards import GIFT_CARDS
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.console.tickets import TICKETS
from lootkeep.storage.webhooks import log as log_db

_EACH = 8
_MAX_TERM = 255
# The lists that are looked through, and what is shown of each.
_LISTS = {
    "Orders": ORDERS.only("Order", "Customer", "Status", "Total", "Placed"),
    "Customers": CUSTOMERS.only("Name", "E-mail", "Status", "Spent", "Signed up"),
    "Tickets": TICKETS.only("Ticket", "Subject", "Customer", "Status", "Last message"),
    "Gift cards": GIFT_CARDS.only("Card", "Recipient", "Status", "Balance", "Issued"),
}


async def search(visit: Visit) -> Answer:
    term = visit.query.get("q", "").strip()[:_MAX_TERM]
    groups: dict[str, tuple[lists.ListPage, Sequence[Any]]] = {}
    delivery = None
    if term:
        async with visit.deps.db.read(slow=True) as tx:
            for name, spec in _LISTS.items():
                rows, total = await lists.newest(visit, tx, spec, _EACH, search=term)
                groups |= {name: (spec, rows)} if total else {}
            delivery = await log_db.get(tx, term) if term.startswith("wh_") else None
    if delivery is not None and not groups:
        return Done(url(f"/deliveries/{delivery.public_id}"))
    if groups.keys() == {"Orders"} and len(groups["Orders"][1]) == 1:
        return Done(url(f"/orders/{groups['Orders'][1][0].order.id}"))
    return {"term": term, "groups": groups}


PAGES = (Page("GET", "/search", "read_only", "Search", search, "search.html"),)
