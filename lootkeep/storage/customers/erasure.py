"""Erases the personal data of a customer, table by table, and what is rewritten row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote_plus

import msgspec
from sqlalchemy import BigInteger, Table, bindparam, delete, or_, select, update

from lootkeep.domain.customers import ERASED_NAME, Customer
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.search import search_text
from lootkeep.storage.customers.personal_data import CUSTOMER, OWN_CHECK, PERSONAL, Erasure, own, part_of
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import JsonInteger
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    attempts,
    deliveries,
    events,
    fraud_checks,
    labels,
    orders,
    sightings,
    subscriptions,
    support_tickets,
)

_HASHED = "erased:"


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
        (fraud_checks, OWN_CHECK),
        # The end of a subscription locks orders of its periods.
        (subscriptions, own(subscriptions)),
        (orders, own(orders)),
        (support_tickets, own(support_tickets)),
    )
]
_EVENTS = Query(
    select(events.c.id, events.c.data).where(
        events.c.id > bindparam("position", type_=BigInteger),
        or_(
            JsonInteger(events.c.data, "customer_id") == CUSTOMER,
            part_of(JsonInteger(events.c.data, "order_id"), orders),
            part_of(JsonInteger(events.c.data, "subscription_id"), subscriptions),
        ),
    )
)
_SET_EVENT = Query(update(events).where(events.c.id == bindparam("event")).values(data=bindparam("payload")))
_SET_EXCERPT = Query(
    update(attempts)
    .where(attempts.c.delivery_id.in_(select(deliveries.c.id).where(deliveries.c.event_id == bindparam("event"))))
    .values(excerpt=None)
)
_FACTS = Query(select(fraud_checks.c.id, fraud_checks.c.facts).where(OWN_CHECK))
_SET_FACTS = Query(update(fraud_checks).where(fraud_checks.c.id == bindparam("check")).values(facts=bindparam("known")))
_SIGHTINGS = Query(select(sightings.c.kind, sightings.c.value).where(own(sightings), sightings.c.kind != "instrument"))
_SET_SIGHTING = Query(
    update(sightings)
    .where(own(sightings), sightings.c.kind == bindparam("seen_kind"), sightings.c.value == bindparam("seen_value"))
    .values(value=bindparam("hashed"))
)
_OWN_LABEL = part_of(labels.c.order_id, orders)
_RECOGNISED_BY = or_(*(labels.c.kind == kind for kind in ("mailbox", "device", "player")))
_LABELS = Query(select(labels.c.kind, labels.c.value).where(_OWN_LABEL, _RECOGNISED_BY).distinct())
_SET_LABEL = Query(
    update(labels)
    .where(_OWN_LABEL, labels.c.kind == bindparam("seen_kind"), labels.c.value == bindparam("seen_value"))
    .values(value=bindparam("hashed"))
)
_ACTIVE = Query(
    select(subscriptions.c.id).where(
        own(subscriptions), subscriptions.c.status == "active", subscriptions.c.cancelled_at.is_(None)
    )
)

FoundEvents = list[tuple[int, str]]


async def find_events(tx: Transaction, customer_id: int, after: int = 0) -> FoundEvents:
    """The events of a customer, their orders and subscriptions, id and data: scans all events after one."""
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
        "searched_name": quote_plus(customer.name).lower(),
        "searched_email": quote_plus(customer.email).lower(),
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
