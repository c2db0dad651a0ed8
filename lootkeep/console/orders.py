"""The list of orders, one order with its story from placed to delivered, and what can be done to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lootkeep.console import goods, lists, payments
from lootkeep.console.columns import AGO, BADGE, CODE, RISK, Column, amount
from lootkeep.console.formats import options
from lootkeep.console.order_file import BUYER, EXPORTED, ITEMS
from lootkeep.console.page import Answer, Handler, Page, Visit, change
from lootkeep.console.records import Record
from lootkeep.console.sendings import Sending, combined, sendings
from lootkeep.domain import goods as goods_rules, inputs as inputs_rules, orders as orders_rules
from lootkeep.domain.codes import country_code
from lootkeep.domain.customers import plain_code
from lootkeep.domain.disputes import Dispute, is_disputed
from lootkeep.domain.fraud.checks import CheckDetail
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.review import ReviewedAs, consequence, label as signal_label
from lootkeep.domain.fraud.score import RiskLevel
from lootkeep.domain.fraud.signals.sentences import sentences
from lootkeep.domain.orders import FRAUD, Order, OrderDetails, OrderStatus, Refund
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable, existing
from lootkeep.services import fraud as fraud_service, goods as goods_service, orders as orders_service
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.goods import looks as looks_db, owned as owned_db
from lootkeep.storage.orders import (
    details as order_details_db,
    disputes as disputes_db,
    lists as order_lists_db,
    payment_attempts as payment_attempts_db,
    rows as orders_db,
)

_HELD = {
    "allowed": ("ok", "Checked: score {}, {}"),
    "flagged": ("warn", "Flagged: score {}, {}"),
    "verification_required": ("warn", "Held for review: score {}, {}"),
    "blocked": ("bad", "Blocked: score {}, {}"),
}
_REVIEWED = {
    "legitimate": ("ok", "Approved by {}"),
    "fraud": ("bad", "Rejected as fraud by {}"),
    "inconclusive": ("quiet", "Reviewed by {}, inconclusive"),
}

_DISPUTED = {
    "early_warning": ("warn", "Early warning of the bank"),
    "dispute": ("bad", "Payment disputed"),
    "dispute_won": ("ok", "Dispute won"),
    "dispute_lost": ("bad", "Dispute lost"),
}
ORDERS = lists.ListPage(
    listing=order_lists_db.LISTING,
    columns=(
        Column("Order", "order.number", CODE, "id"),
        Column("Customer", "customer.name", BUYER),
        Column("Items", "items", ITEMS, is_extra=True),
        Column("Status", "order.status", BADGE),
        Column("Risk", "check", RISK),
        Column("Total", "order.total", amount("order.currency"), "total"),
        Column("Placed", "order.created_at", AGO, "created_at"),
    ),
    exported=EXPORTED,
    load=lambda _, tx, rows: order_details_db.with_items(tx, rows),
    link=lambda row: f"/orders/{row.order.id}",
    news="order",
    empty="Orders appear here as the store places them through the Store API.",
    choices=(
        lists.Choice("status", "Status", options(OrderStatus), is_open=True),
        lists.Choice("risk_level", "Risk", options(RiskLevel)),
    ),
    linked={
        "customer_id": ("Customer", inputs_rules.record_id),
        "external_id": ("External id", str),
        "product_id": ("Product", inputs_rules.record_id),
        "coupon_code": ("Coupon", plain_code),
        "country": ("Country", country_code),
        "payment_method": ("Payment", str),
        "ids": ("Ticked", inputs_rules.record_ids),
    },
    search="Name, e-mail, order number, external id or transaction",
    bulk="orders",
    bulk_path="/orders/bulk",
    key=lambda row: row.order.id,
)
ORDER = Record[Order](
    "Order",
    "/orders/{id}",
    orders_db.ROWS,
    ("status", "currency", "cancel_reason", "fulfillment_note"),
    ("refunded_total",),
)
_HELD_PAYMENT = "The customer is blocked: nothing is delivered, counted or announced until someone decides."
# Points of a reason whose bar is full.
_FULL_BAR = 40


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a timeline; `part` says what kind of `values` there are to show."""

    at: Instant
    tone: str
    title: str
    text: str = ""
    part: str = ""
    values: Any = None


async def story(
    tx: Transaction, details: OrderDetails, check: CheckDetail | None, disputes: Sequence[Dispute]
) -> list[Step]:
    """In the order of time; what receivers got is last."""
    order, customer = details.order, details.customer
    referrer = await customers_db.ROWS.get(tx, customer.referred_by_id) if customer.referred_by_id is not None else None
    refunds = await orders_db.REFUNDS.find(tx, order_id=order.id)
    declined = await payment_attempts_db.of_order(tx, order.id)
    moments = [
        Step(order.created_at, "info", "Placed", part="placed", values=referrer),
        *([_checked(check, await bars(tx, check)), *await reviews(tx, check)] if check else ()),
        *_steps(details),
        *(_refunded(refund, order, is_last=refund == refunds[-1]) for refund in refunds),
        *(_disputed(dispute) for dispute in disputes),
        *(Step(attempt.at, "warn", "Payment declined", attempt.reason or "") for attempt in declined),
    ]
    moments.sort(key=lambda moment: moment.at)
    # A held payment is announced when a review releases it.
    recorded = await sendings(tx, order, [moment.at for moment in moments] + [it.created_at for it in disputes])
    last = max(item.at for item in (*moments, *recorded))
    # The first payment of a referred customer counts for who brought them.
    if customer.referred_by_id is not None and order.paid_at is not None and customer.first_order_at == order.paid_at:
        moments.append(Step(order.paid_at, "ok", "Referral counted", part="referral", values=referrer))
    return [*moments, *_sent(recorded, last)]


def _checked(check: CheckDetail, reasons: Sequence[Mapping[str, Any]]) -> Step:
    tone, title = _HELD[check.action_taken]
    title = title.format(check.risk_score, check.risk_level)
    return Step(check.created_at, tone, title, part="bars", values=reasons)


async def bars(tx: Transaction, check: CheckDetail) -> list[dict[str, Any]]:
    """The reasons with what they saw and their points, all on one scale; the heaviest first."""
    policy = await fraud_checks_db.policy_of(tx, check.policy_version)
    facts = sentences(check.points, facts_of(check), policy)
    reasons = []
    for name, points in sorted(check.points.items(), key=lambda item: -item[1]):
        width = min(100, 100 * abs(points) // _FULL_BAR)
        tone = "bad" if points >= 30 else "warn" if points > 0 else "ok"
        texts = {"name": name, "label": signal_label(name), "fact": facts.get(name, "")}
        reasons.append(texts | {"points": points, "width": width, "tone": tone})
    return reasons


async def reviews(tx: Transaction, check: CheckDetail) -> list[Step]:
    moments = []
    for review in await fraud_checks_db.reviews_of(tx, check.order_id):
        person = await access_db.USERS.get(tx, review.reviewed_by)
        tone, title = _REVIEWED[review.outcome]
        text = f"“{review.notes}”" if review.notes else ""
        moments.append(Step(review.created_at, tone, title.format(person.name if person else "someone"), text))
    return moments


def _steps(details: OrderDetails) -> Iterator[Step]:
    order = details.order
    if order.paid_at is not None:
        yield Step(order.paid_at, "ok", "Paid", part="paid")
    if order.payment_held_at is not None:
        yield Step(order.payment_held_at, "warn", "Paid, held: refund or release", _HELD_PAYMENT, "paid")
    if order.completed_at is not None:
        yield Step(order.completed_at, "ok", "Fulfilled", order.fulfillment_note or "")
    if order.cancelled_at is not None:
        stopped = "Stopped by fraud detection or a reviewer." if order.cancel_reason == FRAUD else order.cancel_reason
        yield Step(order.cancelled_at, "bad", "Cancelled", stopped or "")


def _refunded(refund: Refund, order: Order, *, is_last: bool) -> Step:
    title = "The rest was refunded" if is_last and not order.refundable else "Refunded in part"
    title = "Refunded in full" if refund.amount == order.total else title
    return Step(refund.created_at, "quiet", title, refund.reason or "", "refund", refund)


def _disputed(dispute: Dispute) -> Step:
    tone, title = _DISPUTED[dispute.kind]
    text = "The owner of the card did not buy." if dispute.reason == "fraudulent" else ""
    return Step(dispute.at, tone, title, text)


def _sent(recorded: Sequence[Sending], at: Instant) -> list[Step]:
    """What receivers got, after everything else: deliveries go on while the story does."""
    if not recorded:
        return []
    due = [sending.sent for sending in recorded if sending.sent is not None]
    done = [sent for sent in due if sent.delivery.status == "delivered"]
    title = "Sent to no receiver" if not due else f"{len(done)} of {len(due)} deliveries arrived"
    tone = "quiet" if not due else "ok" if len(done) == len(due) else "bad"
    return [Step(at, tone, title, part="sendings", values=combined(recorded))]


async def show_order(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        details = existing(await order_details_db.get(tx, visit.id), "Order")
        check = await fraud_checks_db.get(tx, details.check.id) if details.check else None
        disputes = await disputes_db.of_order(tx, visit.id)
        moments = await story(tx, details, check, disputes)
        owned = goods_rules.goods_of(await owned_db.of_order(tx, visit.id), visit.now)
        reported = await payments.of_order(tx, visit.id)
        looks = await looks_db.ROWS.find(tx, order_id=visit.id) if owned else []
    order = details.order
    steps = orders_rules.steps(order)
    return {
        "goods": goods.card(owned, details.items, looks, visit, is_open="fulfill" in steps),
        "whole": goods.whole(owned),
        "dispute": goods.banner(disputes, order, owned, looks, visit),
        "reported": reported,
        "order": order,
        "title": order.number,
        "details": details,
        "page_url": goods_service.page_url(visit.deps, order),
        "page_has_keys": goods_service.OrderGoods(details, owned, is_disputed(disputes)).is_shown,
        "moments": moments,
        "steps": steps,
        "can_review": check is not None and consequence("legitimate", order) is not None,
    }


async def newest_orders(visit: Visit, tx: Transaction, size: int, **filters: Any) -> tuple[Sequence[Any] | None, int]:
    """The newest of some orders and how many there are, for another page; None for who may not see orders."""
    return await lists.newest(visit, tx, ORDERS, size, **filters) if visit.user.may("orders:read") else (None, 0)


async def fulfill(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    details, is_new = await orders_service.fulfill(visit.deps, visit.id, None, visit.text("note"))
    message = f"{before.number} is fulfilled." if is_new else f"{before.number} had been fulfilled before."
    return ORDER.done(message, before, details.order)


async def cancel(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    details, unreturned = await orders_service.cancel(visit.deps, visit.id, visit.text("reason"))
    left = visit.formats.money(unreturned, before.currency)
    note = f" {left} could not go back on a revoked gift card." if unreturned else ""
    return ORDER.done(f"{before.number} is cancelled.{note}", before, details.order)


def _review(outcome: ReviewedAs, what: str) -> Handler:
    async def handler(visit: Visit) -> Answer:
        before = await ORDER.lock(visit)
        async with visit.deps.db.read() as tx:
            details = existing(await order_details_db.get(tx, before.id), "Order")
        if details.check is None:
            raise Unprocessable("not_checked", "This order was not checked for fraud, so there is nothing to review.")
        await fraud_service.review(visit.deps, details.check.id, outcome, visit.text("notes"), visit.user.id)
        return ORDER.done(f"{before.number} {what}.", before, await ORDER.get(visit))

    return handler


_GONE = "The order is cancelled permanently. Its coupon, stock and gift card are released."
_FRAUD = "The order is cancelled where it still can be, and counts as confirmed fraud for its buyer."

PAGES = (
    lists.page("/orders", "orders:read", "Orders", ORDERS, "Sell"),
    Page("GET", "/orders/{id}", "orders:read", "Order", show_order, "order.html"),
    change("/orders/{id}/fulfill", "orders:write", "Mark fulfilled", fulfill),
    change("/orders/{id}/cancel", "orders:write", "Cancel order", cancel, _GONE),
    change("/orders/{id}/approve", "fraud:write", "Approve order", _review("legitimate", "is approved")),
    change(
        "/orders/{id}/reject", "fraud:write", "Reject order as fraud", _review("fraud", "is rejected as fraud"), _FRAUD
    ),
)
