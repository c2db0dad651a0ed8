"""What the evidence of an order needs beyond its own records, and the copies that disputes keep."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import BigInteger, and_, bindparam, exists, select, union

from lootkeep.domain.orders import Order
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
    """With the e-mail as it was judged, and whether the bank reported it in any way."""

    order: Order
    email: str | None
    is_reported: bool


class SentEmail(NamedTuple):
    kind: str
    subject: str
    to_email: str
    status: str
    created_at: Instant
    finished_at: Instant | None


_INSTRUMENT: Any = bindparam("instrument")
# An index finds the orders of a customer: this one, and all who were ever judged with the instrument.
_BUYERS = union(
    select(bindparam("customer", type_=BigInteger)),
    select(sightings.c.customer_id).where(sightings.c.kind == "instrument", sightings.c.value == _INSTRUMENT),
)
_OF_INSTRUMENT = Query(
    select(*columns_of(orders, Order), fraud_checks.c.email, exists().where(disputes.c.order_id == orders.c.id))
    .select_from(orders)
    .outerjoin(fraud_checks, and_(fraud_checks.c.order_id == orders.c.id, IS_LATEST))
    .where(
        orders.c.customer_id.in_(_BUYERS),
        orders.c.payment_instrument == _INSTRUMENT,
        orders.c.paid_at.between(bindparam("since"), bindparam("until")),
    )
    .order_by(orders.c.paid_at.desc(), orders.c.id.desc())
    .limit(_MAX_ORDERS),
    lambda *values: EarlierOrder(Order(*values[:-2]), *values[-2:]),
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


async def of_instrument(tx: Transaction, order: Order, since: Instant, until: Instant) -> list[EarlierOrder]:
    """Orders that were paid in this period with the same instrument, the newest first."""
    whose = {"customer": order.customer_id, "instrument": order.payment_instrument}
    return await tx.all(_OF_INSTRUMENT, **whose, since=since, until=until)


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
