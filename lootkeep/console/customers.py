"""The list of customers, everything of one customer on a page, and what staff can change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from lootkeep.console import forms, lists, undo
from lootkeep.console.columns import AGO, BADGE, COUNT, COUNTRY, EMAIL, NAME, Column, amount
from lootkeep.console.formats import options
from lootkeep.console.forms import Field
from lootkeep.console.gift_cards import GIFT_CARDS
from lootkeep.console.guard import Refused
from lootkeep.console.orders import ORDERS, Step
from lootkeep.console.page import Answer, Done, Page, Visit, change, file, url
from lootkeep.console.referrals import REFERRALS
from lootkeep.console.subscriptions import SUBSCRIPTIONS
from lootkeep.console.tickets import TICKETS
from lootkeep.domain.codes import country_code
from lootkeep.domain.customers import MAX_NOTE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, CustomerStatus, MailboxStatus
from lootkeep.domain.fraud.review import label
from lootkeep.domain.referral_abuse import SENTENCES
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import existing
from lootkeep.services import (
    customers as customers_service,
    fraud_reports as fraud_reports_service,
    privacy as privacy_service,
)
from lootkeep.storage import audit as audit_db
from lootkeep.storage.customers import lists as customer_lists_db, rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db, identity as identity_db
from lootkeep.storage.referrals import claims as claims_db, rows as referrals_db

# Of each kind that the page of a customer shows; the lists have the rest.
_NEWEST = 8
_MAX_LINKED = 5
_MAX_MOMENTS = 24
CUSTOMERS = lists.ListPage(
    listing=customer_lists_db.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("E-mail", "email", EMAIL, "email"),
        Column("Country", "country", COUNTRY, is_extra=True),
        Column("Status", "status", BADGE),
        Column("Orders", "orders_count", COUNT, "orders_count"),
        Column("Spent", "total_spent", amount(), "total_spent"),
        Column("Last order", "last_order_at", AGO, "last_order_at", is_extra=True),
        Column("Signed up", "created_at", AGO, "created_at"),
    ),
    exported=(Column("Id", "id"),),
    link=lambda customer: f"/customers/{customer.id}",
    empty="Customers appear here as the store signs them up through the Store API.",
    choices=(
        lists.Choice("has_orders", "Orders", {"1": "Has ordered"}, int, is_open=True),
        lists.Choice("has_no_orders", "Orders", {"0": "Never ordered"}, int, is_open=True),
        lists.Choice("status", "Status", options(CustomerStatus)),
        lists.Choice("accepts_marketing", "Campaigns", {"yes": "Accepts", "no": "Declines"}, lists.is_yes),
    ),
    linked={"country": ("Country", country_code), "tag": ("Tag", str)},
    search="Name or e-mail",
    bulk="customers",
    bulk_path="/customers/bulk",
)
_ORDERS = ORDERS.only("Order", "Status", "Risk", "Total", "Placed", empty="No orders yet.")
_TICKETS = TICKETS.only("Ticket", "Subject", "Status", "Priority", "Last message", empty="They never asked for help.")
_CARDS = GIFT_CARDS.only("Card", "Status", "Balance", "Issued with", "Issued", empty="They have no gift card yet.")
_RENEWED = SUBSCRIPTIONS.only(
    "Product", "State", "Price", "Last order", "Paid until", empty="They subscribed to nothing."
)
_REFERRED = REFERRALS.only("Customer", "Status", "First order", "Signed up", empty="Nobody has used their code yet.")
# What the page of a customer shows the newest of to whom: the list, its page, its filter that names the customer.
_TABLES = {
    "orders": ("orders:read", _ORDERS, "/orders", "customer_id"),
    "tickets": ("support-tickets:read", _TICKETS, "/tickets", "customer_id"),
    "gift_cards": ("gift-cards:read", _CARDS, "/gift-cards", "customer_id"),
    "subscriptions": ("orders:read", replace(_RENEWED, link=None), "/subscriptions", "customer_id"),
    "referred": ("referrals:read", _REFERRED, "/referrals/list", "referrer_id"),
}
FORM = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("email", "E-mail", forms.EMAIL, is_required=True),
    Field("country", "Country", forms.COUNTRY),
    Field(
        "tags",
        "Tags",
        forms.tags(MAX_TAGS, MAX_TAG_LENGTH),
        "Separated by commas. Lists and campaigns can filter by them.",
    ),
    Field("note", "Note", forms.text(MAX_NOTE_LENGTH, "textarea"), "For staff only."),
    Field(
        "accepts_marketing", "Campaigns", forms.yes_or_no("Accepts", "Declines"), "The time of a change is recorded."
    ),
    Field("email_status", "Mailbox", forms.choice(options(MailboxStatus))),
)
_REFUSED = "New orders and subscriptions are rejected from now on."
BLOCK = (Field("status_reason", "Reason", forms.text(MAX_NOTE_LENGTH), _REFUSED, is_required=True),)
UNBLOCK = (Field("status_reason", "Reason", forms.text(MAX_NOTE_LENGTH), "For staff."),)


async def show_customer(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        customer = existing(await customers_db.ROWS.get(tx, visit.id), "Customer")
        tables, newest = {}, {}
        for name, (scope, table, path, by) in _TABLES.items():
            if visit.user.may(scope):
                newest[name], total = await lists.newest(visit, tx, table, _NEWEST, **{by: visit.id})
                tables[name] = (table, newest[name], total, f"{path}?{by}={visit.id}")
        referrer = (await customer_lists_db.referrers(tx, [customer])).get(customer.referred_by_id or 0)
        moments = sorted([*_moments(newest), *await _others(visit, tx)], key=lambda moment: -moment.at)
        is_open: dict[str, Any] = {"customer_id": visit.id, "status": "open"}
        sees_fraud = visit.user.may("fraud:read")
        signed_up = Step(customer.created_at, "info", "Signed up", f"Brought by {referrer.name}." if referrer else "")
        return {
            "customer": customer,
            "title": customer.name,
            "tags": msgspec.json.decode(customer.tags),
            "tables": tables,
            "open_tickets": (await lists.newest(visit, tx, TICKETS, 1, **is_open))[1] if "tickets" in tables else 0,
            "referrer": referrer,
            "counts": await referrals_db.referrer(tx, visit.id),
            "checks": await fraud_checks_db.of_customer(tx, visit.id, _NEWEST) if sees_fraud else None,
            "sightings": await identity_db.of_customer(tx, visit.id, _MAX_LINKED) if sees_fraud else None,
            # The newest first, and how it began last.
            "moments": [*moments[:_MAX_MOMENTS], signed_up],
            "reason": UNBLOCK if customer.status == "blocked" else BLOCK,
        }


def _moments(newest: Mapping[str, Sequence[Any]]) -> Iterator[Step]:
    """What happened to the records that the page shows."""
    for order in (details.order for details in newest.get("orders", ())):
        yield Step(order.created_at, "info", f"Placed {order.number}", part="link", values=f"/orders/{order.id}")
        if order.paid_at is not None:
            yield Step(order.paid_at, "ok", f"Paid {order.number}", part="amount", values=order)
        if order.cancelled_at is not None:
            yield Step(order.cancelled_at, "bad", f"{order.number} was cancelled", order.cancel_reason or "")
    for ticket in newest.get("tickets", ()):
        path = f"/tickets/{ticket.id}"
        yield Step(ticket.created_at, "warn", f"Opened {ticket.number}", ticket.subject, "link", path)
    for card in newest.get("gift_cards", ()):
        title, path = f"Gift card ending in {card.last_four} was issued", f"/gift-cards/{card.id}"
        yield Step(card.created_at, "quiet", title, part="link", values=path)
    for referral in newest.get("referred", ()):
        path = f"/customers/{referral.customer_id}"
        yield Step(referral.referred_at, "ok", f"Brought {referral.name}", part="link", values=path)


async def _others(visit: Visit, tx: Transaction) -> list[Step]:
    sees_referrals = visit.user.may("referrals:read")
    rejections = await referrals_db.rejections_of(tx, visit.id) if sees_referrals else ()
    claims = await claims_db.of_customer(tx, visit.id) if sees_referrals else ()
    changes = await audit_db.changes_since(tx, f"customer:{visit.id}", Instant(0))
    return [
        *(Step(at, "bad", "Referral refused", SENTENCES[reason]) for reason, at in rejections),
        *(
            Step(claim.claimed_at, "ok", "Claimed a referral reward", f"Coupon {coupon.code}")
            for claim, coupon in claims
        ),
        *(Step(entry.created_at, "quiet", entry.action, f"by {entry.user_name or 'nobody'}") for entry in changes),
    ]


async def show_form(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        customer = existing(await customers_db.ROWS.get(tx, visit.id), "Customer")
    text = "The store sees your changes through the API."
    return forms.show(visit, FORM, customer, title=f"Edit {customer.name}", text=text, back=f"/customers/{visit.id}")


async def edit(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        before = existing(await customers_db.ROWS.get(tx, visit.id), "Customer")
    done = await _change(visit, forms.read(visit, FORM), "The customer is saved.")
    return replace(done, reverse=undo.form_of_before(visit, FORM, before))


async def block(visit: Visit) -> Answer:
    changes = forms.read(visit, BLOCK) | {"status": "blocked"}
    return await _change(visit, changes, "The customer cannot order any more.")


async def unblock(visit: Visit) -> Answer:
    done = await _change(visit, forms.read(visit, UNBLOCK) | {"status": "active"}, "The customer can order again.")
    async with visit.deps.db.read() as tx:
        customer = existing(await customers_db.ROWS.get(tx, visit.id), "Customer")
    reasons = [label(name) for name in await fraud_reports_service.would_stop(visit.deps, customer)]
    if reasons:
        sentence = f"{done.message} An order like the latest would still be stopped: {'; '.join(reasons)}."
        return replace(done, message=sentence, tone="warn")
    return done


async def _change(visit: Visit, changes: dict[str, Any], message: str) -> Done:
    record = f"customer:{visit.id}"
    async with visit.deps.db.write() as tx:
        before = existing(await customers_db.get_for_update(tx, visit.id, changes.get("email")), "Customer")
    visit.check_unchanged(record, before.updated_at)
    after = await customers_service.change(visit.deps, visit.id, changes)
    old, new = ({name: getattr(customer, name) for name in changes} for customer in (before, after))
    return Done(url(f"/customers/{visit.id}"), message, record, old, new, version=after.updated_at)


async def export(visit: Visit) -> Answer:
    if visit.user.permissions.hides_revenue:
        raise Refused("forbidden", "This file has amounts, which your role hides. Someone who sees them can export it.")
    data = await privacy_service.export(visit.deps, visit.id)
    return file(f"customer-{visit.id}.json", msgspec.json.format(msgspec.json.encode(data)), "application/json")


async def erase(visit: Visit) -> Answer:
    await privacy_service.erase(visit.deps, visit.id, visit.user.id, visit.ip)
    return Done(url(f"/customers/{visit.id}"), "The personal data of this customer was erased.")


_ERASE = (
    "The personal data of this customer is erased everywhere and cannot be restored. Orders, totals and "
    "fraud evidence stay under a pseudonym. Active subscriptions are cancelled."
)

PAGES = (
    lists.page("/customers", "customers:read", "Customers", CUSTOMERS, "Sell"),
    Page("GET", "/customers/{id}", "customers:read", "Customer", show_customer, "customer.html"),
    *forms.rows("/customers/{id}/edit", "customers:write", "Edit a customer", show_form, edit, "Change a customer"),
    change("/customers/{id}/block", "customers:write", "Block a customer", block),
    change("/customers/{id}/unblock", "customers:write", "Unblock a customer", unblock),
    Page("GET", "/customers/{id}/export", "customers:write", "Export a customer", export),
    change("/customers/{id}/erase", "customers:erase", privacy_service.ERASE, erase, confirm=_ERASE, is_foreign=True),
)
