"""Subscriptions: what is to be renewed, what was, what is past due, and who leaves and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from lootkeep.console import lists
from lootkeep.console.columns import COUNT, DAY, NAME, Cell, Column, amount
from lootkeep.console.formats import badge, label, options
from lootkeep.console.page import Answer, Page, Visit, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import order_number
from lootkeep.domain.subscriptions import Subscription, SubscriptionStatus
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.wording import plural
from lootkeep.storage import subscriptions as subscriptions_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction

_VIEWS = {"renewing": "To be renewed", "past_due": "Past due", "renewed": "Renewed", "leaving": "Leaving"}
_TONES = {"active": "ok", "past_due": "bad", "ending": "warn", "cancelled": "quiet", "expired": "quiet"}


class SubscriptionRow(msgspec.Struct, frozen=True):
    subscription: Subscription
    customer: Customer
    state: str


async def _load(visit: Visit, tx: Transaction, records: Sequence[Subscription]) -> Sequence[SubscriptionRow]:
    customers = await customers_db.ROWS.get_many(tx, {record.customer_id for record in records})
    return [SubscriptionRow(record, customers[record.customer_id], _state(record, visit.now)) for record in records]


def _state(subscription: Subscription, now: Instant) -> str:
    """Its status, and of an active one whether it ends or is past due."""
    if subscription.status != "active":
        return subscription.status
    if subscription.cancelled_at is not None:
        return "ending"
    return "past_due" if subscription.current_period_end <= now else "active"


def _price(subscription: Subscription, _row: SubscriptionRow, visit: Visit) -> str:
    price = visit.formats.money(subscription.price, subscription.currency)
    unit = subscription.interval if subscription.interval_count == 1 else _period(subscription)
    return f"{price} / {unit}"


def _period(subscription: Subscription) -> str:
    return plural(subscription.interval_count, subscription.interval)


def _order(order_id: int | None, *_: Any) -> str:
    return f'<a href="{url(f"/orders/{order_id}")}"><code>{order_number(order_id)}</code></a>' if order_id else "–"


_STATE = Cell(lambda state, *_: badge(state, None, _TONES[state]), label)
_ORDER = Cell(_order, lambda order_id: order_number(order_id) if order_id else None)
_ENDS = Cell(lambda at, _row, visit: visit.formats.day(at) if at else "–", css="number muted", is_time=True)
SUBSCRIPTIONS = lists.ListPage(
    listing=subscriptions_db.LISTING,
    columns=(
        Column("Customer", "customer.name", NAME),
        Column("Product", "subscription.product_name", NAME),
        Column("State", "state", _STATE),
        Column("Price", "subscription", Cell(_price, _period, "number")),
        Column("Renewals", "subscription.renewals_count", COUNT),
        Column("Last order", "subscription.latest_order_id", _ORDER),
        Column("Paid until", "subscription.current_period_end", DAY),
    ),
    exported=(
        Column("Id", "subscription.id"),
        Column("Customer id", "subscription.customer_id"),
        Column("E-mail", "customer.email"),
        Column("Amount", "subscription.price", amount()),
        Column("Currency", "subscription.currency"),
        Column("Cancelled", "subscription.cancelled_at", _ENDS),
        Column("Reason", "subscription.cancel_reason"),
    ),
    link=lambda row: f"/customers/{row.customer.id}",
    empty="Subscriptions appear here as the store creates them through the Store API.",
    choices=(
        lists.Choice("show", "Show", _VIEWS, is_open=True),
        lists.Choice("status", "Status", options(SubscriptionStatus)),
    ),
    linked={
        "customer_id": ("Customer", inputs_rules.record_id),
        "product_id": ("Product", inputs_rules.record_id),
    },
    first={"show": "renewing"},
    has_dates=False,
    load=_load,
)
_NEXT = replace(SUBSCRIPTIONS, listing=subscriptions_db.RENEWING, order="asc", choices=SUBSCRIPTIONS.choices[:1])
_LISTS = {
    "renewing": replace(_NEXT, empty="No subscription is waiting for its next payment."),
    "past_due": replace(_NEXT, empty="Every subscription is paid."),
    "renewed": replace(SUBSCRIPTIONS, listing=subscriptions_db.RENEWED, empty="No subscription was renewed yet."),
    "leaving": replace(
        SUBSCRIPTIONS,
        listing=subscriptions_db.LEAVING,
        columns=(
            *SUBSCRIPTIONS.columns[:-2],
            Column("Cancelled", "subscription.cancelled_at", DAY),
            Column("Ends", "subscription.ends_at", _ENDS),
            Column("Reason", "subscription.cancel_reason", NAME),
        ),
        empty="Nobody has cancelled a subscription.",
    ),
}


async def show(visit: Visit) -> Answer:
    is_plain = not {"customer_id", "product_id", "status"} & visit.query.keys()
    name = visit.query.get("show") or ("renewing" if is_plain else lists.ANY)
    due = {"renewing": {"due_from": visit.now}, "past_due": {"due_to": visit.now}}
    return await lists.show(visit, _LISTS.get(name, SUBSCRIPTIONS), **due.get(name, {}))


PAGES = (Page("GET", "/subscriptions", "orders:read", "Subscriptions", show, "list.html", group="Money"),)
