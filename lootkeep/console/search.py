"""The search over everything: orders, customers, tickets, gift cards and deliveries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lootkeep.console.formats import Formats
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.domain.support_tickets import TicketEntry
from lootkeep.kernel.paging import ListRequest
from lootkeep.kernel.paging import Page as ListedPage
from lootkeep.storage import customer_lists, gift_card_lists, order_lists, ticket_lists
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.lists import Listing
from lootkeep.storage.webhooks import log

_EACH = 8
_MAX_TERM = 255


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that was found: the page it is on, by the row's path and the address."""

    path: str
    to: str
    title: str
    text: str
    status: str


async def search(visit: Visit) -> Answer:
    term = visit.query.get("q", "").strip()[:_MAX_TERM]
    groups: dict[str, list[Hit]] = {}
    if term:
        formats = Formats(visit.options.timezone, visit.deps.currency)
        async with visit.deps.db.read(slow=True) as tx:
            groups = {
                "Orders": await _orders(tx, term, formats),
                "Customers": await _customers(tx, term),
                "Tickets": await _tickets(tx, term),
                "Gift cards": await _gift_cards(tx, term, formats),
                "Deliveries": await _deliveries(tx, term),
            }
    hits = [hit for group in groups.values() for hit in group]
    if len(hits) == 1 and hits[0].path == "/orders/{id}":
        return Done(hits[0].to)
    return {"term": term, "groups": {name: group for name, group in groups.items() if group}}


async def _rows(tx: Transaction, listing: Listing[Any], term: str) -> list[Any]:
    rows, _ = await listing.page(tx, ListRequest(ListedPage(1, _EACH), {"search": term}))
    return rows


async def _orders(tx: Transaction, term: str, formats: Formats) -> list[Hit]:
    sales = await order_lists.sales(tx, await _rows(tx, order_lists.LISTING, term))
    return [
        Hit(
            "/orders/{id}",
            url(f"/orders/{details.order.id}"),
            f"{details.order.number} · {details.customer.name}",
            f"{formats.money(details.order.total, details.order.currency)} · {formats.time(details.order.created_at)}",
            details.order.status,
        )
        for details in sales
    ]


async def _customers(tx: Transaction, term: str) -> list[Hit]:
    return [
        Hit("/customers/{id}", url(f"/customers/{customer.id}"), customer.name, customer.email, customer.status)
        for customer in await _rows(tx, customer_lists.LISTING, term)
    ]


async def _tickets(tx: Transaction, term: str) -> list[Hit]:
    tickets: list[TicketEntry] = await _rows(tx, ticket_lists.LISTING, term)
    return [
        Hit("/tickets/{id}", url(f"/tickets/{ticket.id}"), ticket.subject, ticket.customer_name, ticket.status)
        for ticket in tickets
    ]


async def _gift_cards(tx: Transaction, term: str, formats: Formats) -> list[Hit]:
    return [
        Hit(
            "/gift-cards/{id}",
            url(f"/gift-cards/{card.id}"),
            f"Card ending in {card.last_four}",
            formats.money(card.balance, card.currency),
            card.kept_status,
        )
        for card in await _rows(tx, gift_card_lists.LISTING, term)
    ]


async def _deliveries(tx: Transaction, term: str) -> list[Hit]:
    delivery = await log.get(tx, term) if term.startswith("wh_") else None
    if delivery is None:
        return []
    to = url(f"/deliveries/{delivery.public_id}")
    return [Hit("/deliveries/{delivery_id}", to, delivery.public_id, delivery.event_type, delivery.status)]


PAGES = (Page("GET", "/search", "read_only", "Search", search, "search.html"),)
