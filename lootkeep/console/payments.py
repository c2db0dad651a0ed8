"""Payments: what the providers reported, what fits no order, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from markupsafe import escape

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, NAME, Cell, Column
from lootkeep.console.formats import options, pretty
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import Order, order_number
from lootkeep.domain.payments.events import PaymentEvent, PaymentEventReason, PaymentEventStatus
from lootkeep.domain.payments.reports import Operation, Report
from lootkeep.domain.payments.sources import PROVIDER_NAMES
from lootkeep.kernel import money
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import existing
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.search import order_id_in
from lootkeep.services import payments as payments_service
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.payments import events as payment_events_db

_DONE: dict[Operation, str] = {
    "paid": "Paid",
    "declined": "Declined",
    "refunded": "Refunded",
    "dispute_opened": "Disputed",
    "dispute_won": "Dispute won",
    "dispute_lost": "Dispute lost",
    "early_warning": "Early warning",
}
_REASONS: dict[PaymentEventReason | None, str] = {
    "order_not_found": "no order has its names or ids",
    "order_ambiguous": "its number is the id of one order and the external id of another",
    "payment_missing": "its payment is not here yet",
    "amount_differs": "the amount differs",
    "currency_differs": "the currency differs",
    "already_paid": "it was paid before, by another payment",
    "already_recorded": "recorded before",
    "order_cancelled": "it is cancelled",
    "order_on_hold": "it is on hold",
    "test_mode": "of the provider’s test mode",
}
_EFFECTS: dict[Operation | None, str] = {
    "paid": "Apply makes the order paid in full and hands over what was bought; the event says what was received.",
    "refunded": "Apply records the refund at the order; if nothing is left, what was handed over is taken back.",
}
# How far back an order with the same amount is likely, and how many are shown.
_LIKELY_SINCE = 3 * DAY
_MAX_LIKELY = 5
_MAX_LOOKED_AT = 50
_MAX_OF_ORDER = 20


def what(event: PaymentEvent, *, is_held: bool = False) -> str:
    """What the event did, as a sentence."""
    return "".join(_words(event, is_held))


def _words(event: PaymentEvent, is_held: bool) -> tuple[str, str]:
    """The beginning of the sentence, and the rest of it."""
    if event.operation is None:
        return "", "Not about an order"
    done, why = _DONE[event.operation], _REASONS.get(event.reason)
    order = order_number(event.order_id) if event.order_id is not None else ""
    if event.status == "unmatched":
        return "Fits no order", f": {why}{f' ({order})' if order else ''}"
    if event.status == "ignored":
        return "Ignored", f": {why}"
    order = f" {order}" if order else ""
    if event.status == "waiting":
        return done, f"{order}, waits: {why or 'it is new'}"
    if is_held and event.operation == "paid":
        return "Paid, held", f"{order}: refund or release"
    return done, f"{order}{f': {why}' if why else ''}"


def _what(row: SimpleNamespace, *_: object) -> str:
    begins, rest = _words(row.event, row.is_held)
    event_type = f'<code class="muted small">{escape(row.event.type)}</code>'
    return f"<span><b>{escape(begins)}</b>{escape(rest)}<br>{event_type}</span>"


def _amount(value: Any, row: SimpleNamespace, visit: Visit) -> str:
    return "–" if value is None else visit.formats.money(value, row.event.currency)


def _in_file(value: Hundredths | None) -> object:
    return None if value is None else money.decimal(value)


async def _with_words(_visit: Visit, tx: Transaction, events: Sequence[PaymentEvent]) -> list[SimpleNamespace]:
    sources = await payment_events_db.ALL_SOURCES.get_many(tx, [event.source_id for event in events])
    orders = await orders_db.ROWS.get_many(tx, [event.order_id for event in events if event.order_id is not None])
    held_ids = {order.id for order in orders.values() if order.payment_held_at is not None}
    return [
        SimpleNamespace(event=it, source=sources[it.source_id].name, is_held=it.order_id in held_ids) for it in events
    ]


EVENTS = lists.ListPage(
    listing=payment_events_db.LISTING,
    columns=(
        Column("What it did", "itself", Cell(_what, lambda row: what(row.event, is_held=row.is_held))),
        Column("State", "event.status", BADGE),
        Column("Source", "source", NAME),
        Column("Amount", "event.amount", Cell(_amount, _in_file, "number", is_money=True)),
        Column("Received", "event.created_at", AGO),
    ),
    link=lambda row: f"/payments/{row.event.id}",
    news="payment event",
    text="What Stripe and PayPal reported, and what it did to orders.",
    links=(lists.Link("/payment-sources", "Sources", ""), lists.Link("/payment-sources/new", "Add a source")),
    empty="Payments, refunds and disputes that a provider reports appear here. Add a source first.",
    choices=(lists.Choice("status", "State", options(PaymentEventStatus), is_open=True),),
    linked={
        "order_id": ("Order", inputs_rules.record_id),
        "source_id": ("Source", inputs_rules.record_id),
    },
    search="Order, e-mail or the provider’s id",
    has_dates=False,
    load=_with_words,
    exported=(Column("Event", "event.type"), Column("Currency", "event.currency")),
    live=30,
)


async def show_event(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        event = existing(await payment_events_db.ROWS.get(tx, visit.id), "Payment event")
        source = existing(await payment_events_db.ALL_SOURCES.get(tx, event.source_id), "Payment source")
        is_open = event.status in ("waiting", "unmatched") and event.body is not None
        since = Instant(event.created_at - _LIKELY_SINCE)
        likely = await payment_events_db.likely(tx, event, since, _MAX_LOOKED_AT) if is_open else []
        buyers = await customers_db.ROWS.get_many(tx, [order.customer_id for order in likely])
        compared = await orders_db.ROWS.get(tx, event.order_id) if event.order_id is not None else None
    report = payments_service.report_of(visit.deps, event, source.provider)
    matches = [_match(visit, event, report, order, buyers[order.customer_id]) for order in likely]
    matches = [it for it in matches if it.can_take or it.is_same or it.order.id == event.order_id]
    sentence = what(event, is_held=compared is not None and compared.payment_held_at is not None)
    return {
        "event": event,
        "source": source,
        "provider": PROVIDER_NAMES[source.provider],
        "what": sentence,
        "compared": compared,
        "difference": _difference(visit, event, compared) if compared else None,
        "is_open": is_open,
        "likely": sorted(matches, key=_likeliest_first)[:_MAX_LIKELY],
        "effect": _EFFECTS.get(event.operation, "Apply records it at the order."),
        "report": report,
        "another": ANOTHER,
        "title": sentence,
        "whole": {"event": pretty(payments_service.body_of(visit.deps, event))},
    }


def _match(visit: Visit, event: PaymentEvent, report: Report, order: Order, buyer: Customer) -> SimpleNamespace:
    """An order, what fits and what does not, and the difference that has to be accepted."""
    needs_same = event.operation in ("paid", "declined", "refunded")
    is_same = (event.amount, event.currency) == (order.money_total, order.currency)
    can_take = order.status == "pending" if event.operation == "paid" else order.received_at is not None
    can_take = can_take or event.operation == "declined"
    marks = [("amount", is_same), ("named by the event", event.order_id == order.id)]
    if event.payer_email:
        marks.append(("e-mail", buyer.email.lower() == event.payer_email))
    if report.payment.country and order.billing_country:
        marks.append(("country", report.payment.country == order.billing_country))
    button = f"Apply, accept {_difference(visit, event, order)}" if needs_same and not is_same else "Apply"
    return SimpleNamespace(order=order, buyer=buyer, marks=marks, is_same=is_same, button=button, can_take=can_take)


def _difference(visit: Visit, event: PaymentEvent, order: Order) -> str:
    if event.amount is None or event.currency != order.currency:
        return "the difference"
    more = event.amount - order.money_total
    return f"{visit.formats.money(abs(more), order.currency)} {'more' if more > 0 else 'less'}"


def _likeliest_first(match: SimpleNamespace) -> tuple[bool, bool, int]:
    return not match.can_take, not match.is_same, -match.order.id


def _order_id(text: str) -> int:
    order_id = order_id_in(text)
    if not order_id:
        raise ValueError
    return order_id


ANOTHER = (
    Field("order_id", "Order", forms.parsed(_order_id, "Enter an order number, such as ORD-000123."), is_required=True),
    Field("accept_difference", "Accept a difference in amount or currency", forms.switch()),
)


async def match(visit: Visit) -> Answer:
    values = forms.read(visit, ANOTHER)
    accepts = values["accept_difference"]
    event = await payments_service.match(visit.deps, visit.id, values["order_id"], accept_difference=accepts)
    noted = {"order_id": event.order_id, "amount": visit.formats.money(event.amount or 0, event.currency)}
    to, message = url(f"/payments/{event.id}"), f"{what(event)}."
    return Done(to, message, f"payment_event:{event.id}", {}, noted | {"accept_difference": accepts})


async def leave(visit: Visit) -> Answer:
    event = await payments_service.leave(visit.deps, visit.id)
    return Done(url(f"/payments/{event.id}"), "The event is left.", f"payment_event:{event.id}", {}, {"left": True})


async def of_order(tx: Transaction, order_id: int) -> list[SimpleNamespace]:
    """What the providers said about an order, for its page."""
    events = await payment_events_db.of_order(tx, order_id)
    return [SimpleNamespace(event=event, what=what(event)) for event in events[:_MAX_OF_ORDER]]


_LEFT = "It is about no order of this store: no order is changed, and it is no longer listed as unmatched."

PAGES = (
    lists.page("/payments", "payments:read", "Payments", EVENTS, "Money"),
    Page("GET", "/payments/{id}", "payments:read", "Payment event", show_event, "payment.html"),
    change("/payments/{id}/match", "payments:write", "Apply a payment event", match),
    change("/payments/{id}/leave", "payments:write", "Leave a payment event", leave, _LEFT),
)
