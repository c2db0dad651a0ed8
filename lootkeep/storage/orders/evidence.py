"""What the evidence of an order needs beyond its own records, and the copies that disputes keep."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import and_, bindparam, exists, select

from lootkeep.domain.orders import Order
from lootkeep.domain.players import Game
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import columns_of, insertion
from lootkeep.storage.schema import disputes, evidence, fraud_checks, mails, orders, sightings
from lootkeep.storage.schema.fraud import IS_LATEST

# A buyer with more has made the case.
_MAX_ORDERS = 200
_MAX_OWN_ORDERS = 20
_MAX_EMAILS = 50


class EarlierOrder(NamedTuple):
    id: int
    paid_at: Instant
    customer_id: int
    email: str
    ip_address: str | None
    device_id: str | None
    player_game: Game | None
    player_id: str | None
    player_name: str | None
    status: str
    is_reported: bool
    # JSON, as judged.
    facts: str


class SentEmail(NamedTuple):
    kind: str
    subject: str
    to_email: str
    status: str
    created_at: Instant
    finished_at: Instant | None


_TRACES = ("ip_address", "device_id", "player_game", "player_id", "player_name", "status")
# By the customers who ever used the instrument: orders themselves do not name it.
_OF_INSTRUMENT = Query(
    select(
        *(orders.c[name] for name in ("id", "paid_at", "customer_id")),
        fraud_checks.c.email,
        *(orders.c[name] for name in _TRACES),
        exists().where(disputes.c.order_id == orders.c.id),
        fraud_checks.c.facts,
    )
    .select_from(sightings)
    .join(orders, orders.c.customer_id == sightings.c.customer_id)
    .join(fraud_checks, and_(fraud_checks.c.order_id == orders.c.id, IS_LATEST))
    .where(
        sightings.c.kind == "instrument",
        sightings.c.value == bindparam("instrument"),
        orders.c.paid_at.between(bindparam("since"), bindparam("until")),
    )
    .order_by(orders.c.paid_at.desc(), orders.c.id.desc())
    .limit(_MAX_ORDERS),
    EarlierOrder,
)
_OF_CUSTOMER = Query(
    select(*columns_of(orders, Order))
    .where(orders.c.customer_id == bindparam("customer"), orders.c.paid_at < bindparam("before"))
    .order_by(orders.c.paid_at.desc())
    .limit(_MAX_OWN_ORDERS),
    Order,
)
_EMAILS = Query(
    select(*(mails.c[name] for name in SentEmail._fields))
    .where(mails.c.to_email == bindparam("email"), mails.c.created_at >= bindparam("since"))
    .order_by(mails.c.id)
    .limit(_MAX_EMAILS),
    SentEmail,
)
_ADD_COPY = insertion(evidence, "dispute_id", "document", "created_at")
_COPY = Query(
    select(evidence.c.document)
    .join(disputes, disputes.c.id == evidence.c.dispute_id)
    .where(evidence.c.dispute_id == bindparam("dispute"), disputes.c.order_id == bindparam("order"))
)


async def of_instrument(tx: Transaction, instrument: str, since: Instant, until: Instant) -> list[EarlierOrder]:
    """Orders that were paid in this period by anyone who used the instrument, the newest first."""
    return await tx.all(_OF_INSTRUMENT, instrument=instrument, since=since, until=until)


async def earlier(tx: Transaction, order: Order) -> list[Order]:
    """The orders that the same customer paid before this one was placed, the newest first."""
    return await tx.all(_OF_CUSTOMER, customer=order.customer_id, before=order.created_at)


async def emails(tx: Transaction, email: str, since: Instant) -> list[SentEmail]:
    return await tx.all(_EMAILS, email=email, since=since)


async def add_copy(tx: Transaction, dispute_id: int, document: str, now: Instant) -> None:
    await tx.run(_ADD_COPY, dispute_id=dispute_id, document=document, created_at=now)


async def copy(tx: Transaction, order_id: int, dispute_id: int) -> str | None:
    """What was known of the order when the dispute was opened, as JSON."""
    row: Any = await tx.one(_COPY, order=order_id, dispute=dispute_id)
    return None if row is None else str(row[0])
