"""The search over everything that people quote: names, numbers, ids, codes, IP addresses and devices."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

import msgspec

from lootkeep.console import lists
from lootkeep.console.coupons import COUPONS
from lootkeep.console.customers import CUSTOMERS
from lootkeep.console.gift_cards import GIFT_CARDS
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.console.products import PRODUCTS
from lootkeep.console.tickets import TICKETS
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.addresses import network_key
from lootkeep.domain.customers import plain_code
from lootkeep.domain.deliveries import Delivery
from lootkeep.domain.roles import Scope
from lootkeep.engines.card_codes import CardCodes
from lootkeep.storage import quoted as quoted_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import log as log_db

# By the name of a list, how it is shown and what was found in it.
Groups = dict[str, tuple[lists.ListPage, Sequence[Any]]]

_EACH = 8
_MAX_TERM = 255
# The lists that are looked through, the scope of each, and what is shown of it.
_LISTS: dict[str, tuple[Scope, lists.ListPage]] = {
    "Orders": ("orders:read", ORDERS.only("Order", "Customer", "Status", "Total", "Placed")),
    "Customers": ("customers:read", CUSTOMERS.only("Name", "E-mail", "Status", "Spent", "Signed up")),
    "Tickets": ("support-tickets:read", TICKETS.only("Ticket", "Subject", "Customer", "Status", "Last message")),
    "Gift cards": ("gift-cards:read", GIFT_CARDS.only("Card", "Recipient", "Status", "Balance", "Issued")),
    "Coupons": ("coupons:read", COUPONS.only("Code", "State", "Discount", "Used", "Created")),
    "Products": ("products:read", PRODUCTS.only("Product", "SKU", "Status", "Price", "Sold")),
}


async def search(visit: Visit) -> Answer:
    term = term_of(visit)
    groups = await find(visit, term)
    delivery = await delivery_of(visit, term)
    if delivery is not None and not groups:
        return Done(url(f"/deliveries/{delivery.public_id}"))
    if groups.keys() == {"Orders"} and len(groups["Orders"][1]) == 1:
        return Done(url(f"/orders/{groups['Orders'][1][0].order.id}"))
    return {"term": term, "groups": groups}


def term_of(visit: Visit) -> str:
    return visit.query.get("q", "").strip()[:_MAX_TERM]


async def find(visit: Visit, term: str) -> Groups:
    """What fits the term in each of the lists that the visitor may see."""
    groups: Groups = {}
    if term:
        async with visit.deps.db.read(slow=True) as tx:
            quoted = await _quoted(visit, tx, term)
            for name, (scope, spec) in _LISTS.items():
                rows = await _rows(visit, tx, spec, term, quoted.get(name, set())) if visit.user.may(scope) else []
                groups |= {name: (spec, rows)} if rows else {}
    return groups


async def delivery_of(visit: Visit, term: str) -> Delivery | None:
    """The one whose id the term is: deliveries have no list of their own."""
    if not term.startswith("wh_") or not visit.user.may("webhooks:read"):
        return None
    async with visit.deps.db.read() as tx:
        return await log_db.ROWS.find_one(tx, public_id=term)


async def _quoted(visit: Visit, tx: Transaction, term: str) -> dict[str, set[int]]:
    """What the whole term names, by list."""
    code, network = plain_code(term), _network(term)
    codes = CardCodes(visit.deps.vault, visit.deps.ids)
    traces = {"device": identity_rules.device(term)} | ({} if network is None else {"address": network})
    return {
        "Customers": await quoted_db.customer_ids(tx, term, code, traces, _EACH),
        "Orders": await quoted_db.order_ids(tx, code, network, _EACH),
        "Gift cards": await quoted_db.gift_card_ids(tx, codes.hashed(term)),
    }


def _network(term: str) -> str | None:
    try:
        ipaddress.ip_address(term)
    except ValueError:
        return None
    return network_key(identity_rules.address(term))


async def _rows(visit: Visit, tx: Transaction, spec: lists.ListPage, term: str, ids: set[int]) -> list[Any]:
    """What the whole term names, then what contains it."""
    rows: dict[int, Any] = {}
    array = msgspec.json.encode(sorted(ids)).decode()
    for filters in ([{"ids": array}] if ids else []) + [lists.searching(visit, term)]:
        found, _ = await lists.newest(visit, tx, spec, _EACH, **filters)
        for row in found:
            rows.setdefault(getattr(row, "order", row).id, row)
    return list(rows.values())[:_EACH]


PAGES = (Page("GET", "/search", "account", "Search", search, "search.html"),)
