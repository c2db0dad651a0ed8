"""The evidence of an order: everything that answers a dispute, as it is now or as it was when that was opened."""

from __future__ import annotations

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain.disputes import Dispute
from lootkeep.domain.evidence import MAX_AGE, MIN_AGE, MatchingOrder, OrderTraces, compelling
from lootkeep.domain.goods import goods_of, looks_by_good
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.domain.tickets import Ticket
from lootkeep.kernel.clock import Instant, optional_utc, utc
from lootkeep.kernel.errors import existing
from lootkeep.kernel.money import text
from lootkeep.services.orders import _details
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.goods import looks as looks_db, owned as owned_db
from lootkeep.storage.orders import disputes as disputes_db, evidence as evidence_db
from lootkeep.storage.tickets import rows as tickets_db
from lootkeep.views import evidence as evidence_views, orders as orders_views, players as players_views
from lootkeep.views.evidence import EvidenceView

# How much of a long conversation is quoted.
_MAX_MESSAGES = 100


async def evidence(deps: Deps, order_id: int, dispute_id: int | None = None) -> EvidenceView:
    """As it is now; with a dispute, as it was when that was opened."""
    async with deps.db.read() as tx:
        details = await _details.load(tx, order_id)
        if dispute_id is None:
            opened = [dispute.at for dispute in await disputes_db.of_order(tx, order_id) if dispute.kind == "dispute"]
            return await _gather(tx, details, min(opened, default=deps.clock.now()), deps.clock.now())
        document = existing(await evidence_db.copy(tx, order_id, dispute_id), "Dispute")
    return msgspec.json.decode(document, type=EvidenceView)


async def store_copy(tx: Transaction, details: OrderDetails, dispute: Dispute, now: Instant) -> None:
    """Goods and tickets go on changing; the answer to a dispute shows what was so when it was opened."""
    view = await _gather(tx, details, dispute.at, now)
    await evidence_db.add_copy(tx, dispute.id, msgspec.json.encode(view).decode(), now)


async def _gather(tx: Transaction, details: OrderDetails, at: Instant, now: Instant) -> EvidenceView:
    order, customer = details.order, details.customer
    emails = await evidence_db.emails(tx, customer.email, order.created_at)
    return EvidenceView(
        order=orders_views.order(details),
        customer=evidence_views.EvidenceCustomerView(
            customer.id, customer.name, customer.email, utc(customer.created_at)
        ),
        network=evidence_views.EvidenceNetworkView(order.ip_address, order.ip_country),
        device_id=order.device_id,
        player=players_views.player(order.player),
        payment=_payment(order),
        goods=await _goods(tx, details, now),
        emails=[
            evidence_views.EvidenceEmailView(
                email.kind, email.subject, email.to_email, email.status, utc(email.finished_at or email.created_at)
            )
            for email in emails
        ],
        tickets=[await _ticket(tx, ticket) for ticket in await tickets_db.ROWS.find(tx, order_id=order.id)],
        earlier_orders=[_earlier(earlier) for earlier in await evidence_db.earlier(tx, order)],
        compelling_evidence=evidence_views.compelling(await _compelling(tx, details, at)),
        created_at=utc(now),
    )


async def _goods(tx: Transaction, details: OrderDetails, now: Instant) -> list[evidence_views.EvidenceGoodView]:
    goods = goods_of(await owned_db.of_order(tx, details.order.id), now)
    names = {item.id: item.product_name for item in details.items}
    of_good = looks_by_good(await looks_db.ROWS.find(tx, order_id=details.order.id))
    return [evidence_views.good(good, names[good.item_id], of_good[good.item_id, good.key_id]) for good in goods]


def _payment(order: Order) -> evidence_views.EvidencePaymentView | None:
    if order.received_at is None:
        return None
    return evidence_views.EvidencePaymentView(
        paid_at=utc(order.received_at),
        amount=text(order.money_total),
        currency=order.currency,
        method=order.payment_method,
        transaction_id=order.transaction_id,
        country=order.payment_country,
        funding=order.payment_funding,
        three_d_secure=order.payment_three_d_secure,
    )


async def _ticket(tx: Transaction, ticket: Ticket) -> evidence_views.EvidenceTicketView:
    messages = await tickets_db.messages(tx, ticket.id, None, _MAX_MESSAGES)
    return evidence_views.EvidenceTicketView(
        ticket.id,
        ticket.number,
        ticket.subject,
        utc(ticket.created_at),
        [
            evidence_views.EvidenceMessageView(message.author_type, message.body, utc(message.created_at))
            for message in messages
            if not message.is_internal
        ],
    )


def _earlier(order: Order) -> evidence_views.EarlierOrderView:
    return evidence_views.EarlierOrderView(
        order.id, order.number, order.status, text(order.total), order.currency, optional_utc(order.paid_at)
    )


async def _compelling(tx: Transaction, details: OrderDetails, at: Instant) -> list[MatchingOrder]:
    order = details.order
    if order.payment_instrument is None or order.received_at is None:
        return []
    check = await fraud_checks_db.ROWS.find_one(tx, order_id=order.id, is_latest=True)
    own = _traces(order, check.email if check else details.customer.email, is_disqualified=False)
    earlier = await evidence_db.of_instrument(tx, order, Instant(at - MAX_AGE), Instant(at - MIN_AGE))
    others = [
        _traces(it.order, it.email, is_disqualified=it.is_reported or it.order.status == "refunded") for it in earlier
    ]
    return compelling(own, others, at)


def _traces(order: Order, email: str | None, *, is_disqualified: bool) -> OrderTraces:
    assert order.received_at is not None
    return OrderTraces(
        order_id=order.id,
        paid_at=order.received_at,
        customer_id=order.customer_id,
        email=email,
        ip_address=order.ip_address,
        device=order.device_id,
        instrument=order.payment_instrument,
        is_disqualified=is_disqualified,
        player=order.player,
    )
