"""The list of customers, and everything of one customer on a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from lootkeep.console import lists
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Page, Visit, url
from lootkeep.console.story import Moment
from lootkeep.domain.customers import Customer, CustomerStatus
from lootkeep.domain.gift_cards import status as card_status
from lootkeep.domain.referral_abuse import SENTENCES
from lootkeep.kernel import money
from lootkeep.kernel.clock import Instant, iso
from lootkeep.kernel.errors import existing
from lootkeep.kernel.paging import ListRequest
from lootkeep.kernel.paging import Page as ListedPage
from lootkeep.storage import (
    audit,
    claims,
    customer_lists,
    fraud_checks,
    gift_card_lists,
    identity,
    order_lists,
    referral_lists,
    referrals,
    ticket_lists,
)
from lootkeep.storage import customers as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.lists import Listing

# Of each kind that one page shows; the rest is one click away.
_SHOWN = 8
_MAX_LINKED = 5
_MAX_MOMENTS = 24
_NO_TIME = Instant(0)

CUSTOMERS = ListPage(
    customer_lists.LISTING,
    columns=(
        Column("Name", lambda customer: customer.name, "name"),
        Column("E-mail", lambda customer: customer.email, "email"),
        Column("Country", lambda customer: customer.country),
        Column("Status", lambda customer: label(customer.status)),
        Column("Orders", lambda customer: customer.orders_count, "orders_count", is_number=True),
        Column("Spent", lambda customer: money.decimal(customer.total_spent), "total_spent", is_number=True),
        Column("Last order", lambda customer: _time(customer.last_order_at), "last_order_at", is_number=True),
        Column("Signed up", lambda customer: iso(customer.created_at), "created_at", is_number=True),
    ),
    empty="Customers appear here as the store signs them up through the Store API.",
    file="customers",
    choices=(
        Choice("has_orders", "Orders", {"1": "Has ordered"}, int, is_open=True),
        Choice("has_no_orders", "Orders", {"0": "Never ordered"}, int, is_open=True),
        Choice("status", "Status", {name: label(name) for name in get_args(CustomerStatus)}),
        Choice("accepts_marketing", "Campaigns", {"yes": "Accepts", "no": "Declines"}, lambda value: value == "yes"),
    ),
    linked={"country": ("Country", str.upper), "tag": ("Tag", str)},
    search="Name or e-mail",
)


async def list_customers(visit: Visit) -> Answer:
    return await lists.show(visit, CUSTOMERS)


async def show_customer(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        customer = existing(await customers_db.get(tx, visit.id), "Customer")
        shown = await _records(tx, customer)
    cards, _ = shown["cards"]
    return shown | {
        "customer": customer,
        "title": customer.name,
        "average": customer.total_spent // customer.orders_count if customer.orders_count else 0,
        "tags": msgspec.json.decode(customer.tags),
        "card_statuses": {card.id: card_status(card, visit.now) for card in cards},
        "moments": _moments(customer, shown),
    }


async def _records(tx: Transaction, customer: Customer) -> dict[str, Any]:
    orders, orders_total = await _newest(tx, order_lists.LISTING, customer_id=customer.id)
    open_tickets = await _newest(tx, ticket_lists.LISTING, customer_id=customer.id, status="open")
    return {
        "orders": (await order_lists.sales(tx, orders), orders_total),
        "tickets": await _newest(tx, ticket_lists.LISTING, customer_id=customer.id),
        "open_tickets": open_tickets[1],
        "cards": await _newest(tx, gift_card_lists.LISTING, customer_id=customer.id),
        "referred": await _newest(tx, referral_lists.REFERRALS, referrer_id=customer.id),
        "referrer": (await customer_lists.referrers(tx, [customer])).get(customer.referred_by_id or 0),
        "counts": await referrals.referrer(tx, customer.id),
        "refusals": await referrals.refusals_of(tx, customer.id),
        "claims": await claims.of_customer(tx, customer.id),
        "checks": await fraud_checks.of_customer(tx, customer.id, _SHOWN),
        "sightings": await identity.of_customer(tx, customer.id, _MAX_LINKED),
        "changes": await audit.changes_since(tx, f"customer:{customer.id}", _NO_TIME),
    }


async def _newest(tx: Transaction, listing: Listing[Any], **filters: Any) -> tuple[list[Any], int]:
    return await listing.page(tx, ListRequest(ListedPage(1, _SHOWN), filters))


def _moments(customer: Customer, shown: dict[str, Any]) -> list[Moment]:
    """The newest first, and how it began last."""
    moments = sorted([*_bought(shown), *_others(shown)], key=lambda moment: -moment.at)[:_MAX_MOMENTS]
    referrer = shown["referrer"]
    text = f"Brought by {referrer.name}." if referrer else ""
    return [*moments, Moment(customer.created_at, "info", "Signed up", text)]


def _bought(shown: dict[str, Any]) -> Iterator[Moment]:
    for sale in shown["orders"][0]:
        order, to = sale.order, url(f"/orders/{sale.order.id}")
        yield Moment(order.created_at, "info", f"Placed {order.number}", part="link", values={"to": to})
        if order.paid_at is not None:
            yield Moment(order.paid_at, "ok", f"Paid {order.number}", part="amount", values={"order": order})
        if order.cancelled_at is not None:
            yield Moment(order.cancelled_at, "bad", f"{order.number} was cancelled", order.cancel_reason or "")


def _others(shown: dict[str, Any]) -> Iterator[Moment]:
    for ticket in shown["tickets"][0]:
        to = url(f"/tickets/{ticket.id}")
        yield Moment(ticket.created_at, "warn", f"Opened {ticket.number}", ticket.subject, "link", {"to": to})
    for card in shown["cards"][0]:
        title = f"Gift card ending in {card.last_four} was issued"
        yield Moment(card.created_at, "quiet", title, part="link", values={"to": url(f"/gift-cards/{card.id}")})
    for referral in shown["referred"][0]:
        to = url(f"/customers/{referral.customer_id}")
        yield Moment(referral.referred_at, "ok", f"Brought {referral.name}", part="link", values={"to": to})
    for reason, created_at in shown["refusals"]:
        yield Moment(created_at, "bad", "Referral refused", SENTENCES[reason])
    for claim, coupon in shown["claims"]:
        yield Moment(claim.claimed_at, "ok", "Claimed a referral reward", f"Coupon {coupon.code}")
    for entry in shown["changes"]:
        yield Moment(entry.created_at, "quiet", entry.action, f"by {entry.user_name or 'nobody'}")


def _time(at: Instant | None) -> str | None:
    return None if at is None else iso(at)


PAGES = (
    Page("GET", "/customers", "read_only", "Customers", list_customers, "customers.html", group="Sell"),
    Page("GET", "/customers/{id}", "read_only", "Customer", show_customer, "customer.html", under="/customers"),
)
