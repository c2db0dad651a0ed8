"""Personal data of customers: every column with such data, how to find its rows, and what erasure leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Table,
    Text,
    bindparam,
    case,
    cast as sql_cast,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)

from lootkeep.domain.customers import ERASED_NAME, ERASED_REASON, Customer
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.search import search_text
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import JsonInteger
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    alert_notices,
    attempts,
    audit_log,
    campaign_recipients,
    customer_tags,
    customers,
    deliveries,
    events,
    fraud_checks,
    fraud_list_entries,
    fraud_policies,
    fraud_reviews,
    gift_cards,
    idempotency_keys,
    labels,
    mails,
    orders,
    payment_attempts,
    referrals,
    refunds,
    settings,
    sightings,
    subscriptions,
    support_tickets,
    ticket_messages,
)

# The replacement of a text that only the customer and the staff could have read.
_ERASED_TEXT = "Erased."
_HASHED = "erased:"

_CUSTOMER: Any = bindparam("customer", type_=BigInteger)
_EMAIL: Any = bindparam("old_email", type_=Text)
_PSEUDONYM: Any = bindparam("pseudonym", type_=Text)
_NOW: Any = bindparam("now", type_=BigInteger)


class Erasure(NamedTuple):
    """A customer's rows of a table, and the new values of their columns; without `values` the rows are deleted."""

    rows: ColumnElement[bool] | None
    values: dict[str, Any] | None = None
    # Columns that are rewritten row by row, or that expire automatically.
    others: tuple[str, ...] = ()


def _own(table: Table) -> Any:
    return table.c.customer_id == _CUSTOMER


def _part_of(column: Any, table: Table) -> Any:
    """A row that refers to a row of the customer in another table."""
    return column.in_(select(table.c.id).where(_own(table)))


def _names(column: Any, table: Table, noun: str) -> Any:
    """A row that names one of the customer's rows in another table, such as `ticket:7`."""
    return column.in_(select(literal(f"{noun}:", Text) + sql_cast(table.c.id, Text)).where(_own(table)))


def _renamed(column: Any) -> Erasure:
    """The pseudonym in lists of e-mails: decisions based on them do not change."""
    quoted = [literal('"', Text) + email + literal('"', Text) for email in (_EMAIL, _PSEUDONYM)]
    return Erasure(
        column.like(literal("%", Text) + _EMAIL + literal("%", Text)), {column.name: func.replace(column, *quoted)}
    )


# By order, which is indexed.
_CHECK = _part_of(fraud_checks.c.order_id, orders)
_CARD = or_(_own(gift_cards), gift_cards.c.recipient_email == _EMAIL)
_AUDITED = or_(
    audit_log.c.record == literal("customer:", Text) + sql_cast(_CUSTOMER, Text),
    _names(audit_log.c.record, orders, "order"),
    _names(audit_log.c.record, support_tickets, "ticket"),
    _names(audit_log.c.record, gift_cards, "gift_card"),
)

PERSONAL: dict[Table, Erasure] = {
    customers: Erasure(
        customers.c.id == _CUSTOMER,
        {
            "email": _PSEUDONYM,
            "name": ERASED_NAME,
            **dict.fromkeys(("username", "external_id", "country", "note")),
            "tags": "[]",
            "search_text": bindparam("erased_search_text", type_=Text),
            "status": "blocked",
            "status_reason": ERASED_REASON,
            "accepts_marketing": False,
            "erased_at": func.coalesce(customers.c.erased_at, _NOW),
            "updated_at": func.coalesce(customers.c.erased_at, _NOW),
        },
    ),
    customer_tags: Erasure(_own(customer_tags)),
    orders: Erasure(
        _own(orders),
        {
            **dict.fromkeys(("ip_address", "ip_network", "user_agent", "device_id", "fulfillment_note")),
            "metadata": "{}",
            # Our own words stay, user input is erased.
            "cancel_reason": case((orders.c.cancel_reason == "fraud", orders.c.cancel_reason)),
        },
    ),
    refunds: Erasure(_part_of(refunds.c.order_id, orders), {"reason": None}),
    subscriptions: Erasure(_own(subscriptions), {"cancel_reason": None}),
    fraud_checks: Erasure(
        _CHECK,
        {"email": _PSEUDONYM, **dict.fromkeys(("ip_address", "user_agent", "detected_city", "review_notes"))},
        others=("facts",),
    ),
    fraud_reviews: Erasure(fraud_reviews.c.check_id.in_(select(fraud_checks.c.id).where(_CHECK)), {"notes": None}),
    # Devices and IP addresses on lists no longer identify anyone.
    fraud_list_entries: Erasure(fraud_list_entries.c.value == bindparam("mailbox", type_=Text)),
    # Keyed hashes already, like payment instruments; the others become such a hash.
    referrals: Erasure(None, others=("mailbox", "device")),
    sightings: Erasure(None, others=("value",)),
    labels: Erasure(None, others=("value",)),
    payment_attempts: Erasure(_own(payment_attempts), dict.fromkeys(("device_id", "ip_network"))),
    gift_cards: Erasure(
        _CARD,
        {
            **dict.fromkeys(("recipient_email", "recipient_name", "sender_name", "message", "note", "revoke_reason")),
            "search_text": func.lower(gift_cards.c.last_four),
        },
    ),
    support_tickets: Erasure(_own(support_tickets), {"subject": _ERASED_TEXT, "search_text": ""}),
    alert_notices: Erasure(_names(alert_notices.c.key, support_tickets, "ticket"), {"text": _ERASED_TEXT}),
    ticket_messages: Erasure(
        _part_of(ticket_messages.c.ticket_id, support_tickets),
        {
            "body": _ERASED_TEXT,
            "author_name": case(
                (ticket_messages.c.author_type == "customer", ERASED_NAME), else_=ticket_messages.c.author_name
            ),
        },
    ),
    mails: Erasure(mails.c.to_email == _EMAIL, others=("to_email", "to_name", "subject", "body")),
    # A reason may quote what a mail server said about the e-mail address.
    campaign_recipients: Erasure(_own(campaign_recipients), {"email": _PSEUDONYM, "reason": None}),
    audit_log: Erasure(_AUDITED, {"before": "{}", "after": "{}"}),
    settings: _renamed(settings.c.value),
    fraud_policies: _renamed(fraud_policies.c.document),
    events: Erasure(None, others=("data",)),
    attempts: Erasure(None, others=("excerpt",)),
    # Sealed, and removed after a day.
    idempotency_keys: Erasure(None, others=("answer",)),
}


def _statement(table: Table, erasure: Erasure) -> Query[Any]:
    assert erasure.rows is not None
    if erasure.values is None:
        return Query(delete(table).where(erasure.rows))
    return Query(update(table).where(erasure.rows).values(erasure.values))


_ERASE = [_statement(table, erasure) for table, erasure in PERSONAL.items() if erasure.rows is not None]
# Operations in progress with these end first, and later ones read the pseudonym.
_LOCK = [
    Query(select(table.c.id).where(condition).order_by(table.c.id).with_for_update())
    for table, condition in (
        (fraud_checks, _CHECK),
        (orders, _own(orders)),
        (subscriptions, _own(subscriptions)),
        (support_tickets, _own(support_tickets)),
    )
]
_EVENTS = Query(
    select(events.c.id, events.c.data).where(
        events.c.id > bindparam("position", type_=BigInteger),
        or_(
            _part_of(JsonInteger(events.c.data, "order_id"), orders),
            _part_of(JsonInteger(events.c.data, "subscription_id"), subscriptions),
        ),
    )
)
_SET_EVENT = Query(update(events).where(events.c.id == bindparam("event")).values(data=bindparam("payload")))
_SET_EXCERPT = Query(
    update(attempts)
    .where(attempts.c.delivery_id.in_(select(deliveries.c.id).where(deliveries.c.event_id == bindparam("event"))))
    .values(excerpt=None)
)
_FACTS = Query(select(fraud_checks.c.id, fraud_checks.c.facts).where(_CHECK))
_SET_FACTS = Query(update(fraud_checks).where(fraud_checks.c.id == bindparam("check")).values(facts=bindparam("known")))
_SIGHTINGS = Query(select(sightings.c.kind, sightings.c.value).where(_own(sightings), sightings.c.kind != "instrument"))
_SET_SIGHTING = Query(
    update(sightings)
    .where(_own(sightings), sightings.c.kind == bindparam("seen_kind"), sightings.c.value == bindparam("seen_value"))
    .values(value=bindparam("hashed"))
)
_OWN_LABEL = _part_of(labels.c.order_id, orders)
_RECOGNISED_BY = or_(labels.c.kind == "mailbox", labels.c.kind == "device")
_LABELS = Query(select(labels.c.kind, labels.c.value).where(_OWN_LABEL, _RECOGNISED_BY).distinct())
_SET_LABEL = Query(
    update(labels)
    .where(_OWN_LABEL, labels.c.kind == bindparam("seen_kind"), labels.c.value == bindparam("seen_value"))
    .values(value=bindparam("hashed"))
)
_ACTIVE = Query(
    select(subscriptions.c.id).where(
        _own(subscriptions), subscriptions.c.status == "active", subscriptions.c.cancelled_at.is_(None)
    )
)

FoundEvents = list[tuple[int, str]]


async def find_events(tx: Transaction, customer_id: int, after: int = 0) -> FoundEvents:
    """The events of a customer's orders and subscriptions, id and data: scans all events after one."""
    return [(int(id_), str(data)) for id_, data in await tx.all(_EVENTS, customer=customer_id, position=after)]


async def lock(tx: Transaction, customer_id: int) -> None:
    for query in _LOCK:
        await tx.all(query, customer=customer_id)


async def active_subscriptions(tx: Transaction, customer_id: int) -> list[int]:
    return [int(id_) for (id_,) in await tx.all(_ACTIVE, customer=customer_id)]


async def erase(
    tx: Transaction, customer: Customer, pseudonym: str, hashed: Callable[[str], str], now: Instant
) -> None:
    """Everything but the events. Identifying values become hashes, so accounts stay linked."""
    await _hash(tx, customer.id, hashed, _SIGHTINGS, _SET_SIGHTING)
    await _hash(tx, customer.id, hashed, _LABELS, _SET_LABEL)
    await _erase_facts(tx, customer.id, pseudonym)
    values = {
        "customer": customer.id,
        "old_email": customer.email,
        "mailbox": customer.mailbox,
        "pseudonym": pseudonym,
        "now": now,
        "erased_search_text": search_text(ERASED_NAME, pseudonym),
    }
    for query in _ERASE:
        await tx.run(query, **values)


async def set_events(tx: Transaction, changed: Iterable[tuple[int, str]]) -> None:
    rows = [{"event": event_id, "payload": data} for event_id, data in changed]
    if rows:
        await tx.execute_many(_SET_EVENT, rows)
        await tx.execute_many(_SET_EXCERPT, [{"event": row["event"]} for row in rows])


async def _hash(
    tx: Transaction, customer_id: int, hashed: Callable[[str], str], find: Query[Any], change: Query[Any]
) -> None:
    rows = [
        {"customer": customer_id, "seen_kind": kind, "seen_value": value, "hashed": _HASHED + hashed(value)}
        for kind, value in await tx.all(find, customer=customer_id)
        if not value.startswith(_HASHED)
    ]
    if rows:
        await tx.execute_many(change, rows)


async def _erase_facts(tx: Transaction, customer_id: int, pseudonym: str) -> None:
    rows = []
    for check_id, text in await tx.all(_FACTS, customer=customer_id):
        facts = msgspec.json.decode(text, type=OrderFacts)
        erased = facts.without_person(pseudonym)
        rows.append({"check": check_id, "known": msgspec.json.encode(erased).decode()})
    if rows:
        await tx.execute_many(_SET_FACTS, rows)
