"""The search over everything: orders, customers, tickets, gift cards and deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lootkeep.console.columns import Table
from lootkeep.console.customers import CUSTOMERS
from lootkeep.console.gift_cards import GIFT_CARDS
from lootkeep.console.lists import ListPage
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.console.tickets import TICKETS
from lootkeep.kernel.paging import ListRequest
from lootkeep.kernel.paging import Page as ListedPage
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import log

_EACH = 8
_MAX_TERM = 255
# The lists that are looked through, and what is shown of each.
_LISTS: dict[str, tuple[ListPage, Table]] = {
    "Orders": (ORDERS, ORDERS.only("Order", "Customer", "Status", "Total", "Placed", empty="")),
    "Customers": (CUSTOMERS, CUSTOMERS.only("Name", "E-mail", "Status", "Spent", "Signed up", empty="")),
    "Tickets": (TICKETS, TICKETS.only("Ticket", "Subject", "Customer", "Status", "Last message", empty="")),
    "Gift cards": (GIFT_CARDS, GIFT_CARDS.only("Card", "Recipient", "Status", "Balance", "Issued", empty="")),
}


async def search(visit: Visit) -> Answer:
    term = visit.query.get("q", "").strip()[:_MAX_TERM]
    groups: dict[str, tuple[Table, Sequence[Any]]] = {}
    delivery = None
    if term:
        async with visit.deps.db.read(slow=True) as tx:
            found = {name: await _rows(visit, tx, spec, term) for name, (spec, _) in _LISTS.items()}
            delivery = await log.get(tx, term) if term.startswith("wh_") else None
        groups = {name: (_LISTS[name][1], rows) for name, rows in found.items() if rows}
    if delivery is not None and not groups:
        return Done(url(f"/deliveries/{delivery.public_id}"))
    if groups.keys() == {"Orders"} and len(groups["Orders"][1]) == 1:
        return Done(url(f"/orders/{groups['Orders'][1][0].order.id}"))
    return {"term": term, "groups": groups}


async def _rows(visit: Visit, tx: Transaction, spec: ListPage, term: str) -> Sequence[Any]:
    rows, _ = await spec.listing.page(tx, ListRequest(ListedPage(1, _EACH), {"search": term}))
    return await spec.load(visit, tx, rows) if spec.load else rows


PAGES = (Page("GET", "/search", "read_only", "Search", search, "search.html"),)
