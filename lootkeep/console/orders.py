"""The list of orders, and what can be done to one."""

from __future__ import annotations

from typing import get_args

from lootkeep.console import lists
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, lock, url
from lootkeep.console.story import show_order
from lootkeep.domain.customers import plain_code
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.score import RiskLevel
from lootkeep.domain.orders import Order, OrderDetails, OrderStatus
from lootkeep.kernel import money
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import Unprocessable, invalid
from lootkeep.services import fraud as fraud_service
from lootkeep.services import orders as orders_service
from lootkeep.services import webhooks as webhooks_service
from lootkeep.storage import order_lists
from lootkeep.storage import orders as orders_db

ORDERS = ListPage(
    order_lists.LISTING,
    columns=(
        Column("Order", lambda details: details.order.number, "id"),
        Column("Customer", lambda details: details.customer.name),
        Column("Status", lambda details: label(details.order.status)),
        Column("Risk", lambda details: details.check.risk_score if details.check else None),
        Column("Total", lambda details: money.decimal(details.order.total), "total", is_number=True),
        Column("Placed", lambda details: iso(details.order.created_at), "created_at", is_number=True),
    ),
    empty="Orders appear here as the store places them through the Store API.",
    file="orders",
    choices=(
        Choice("status", "Status", {name: label(name) for name in get_args(OrderStatus)}, is_open=True),
        Choice("risk_level", "Risk", {name: label(name) for name in get_args(RiskLevel)}),
    ),
    linked={
        "customer_id": ("Customer", int),
        "product_id": ("Product", int),
        "coupon_code": ("Coupon", plain_code),
        "country": ("Country", str.upper),
        "payment_method": ("Payment", str),
    },
    search="Name, e-mail, order number or transaction",
    load=order_lists.sales,
)


async def fulfill(visit: Visit) -> Answer:
    before = await lock(visit, orders_db.get_for_update, "Order")
    details, is_new = await orders_service.fulfill(visit.deps, visit.id, None, visit.text("note"))
    message = f"{before.number} is fulfilled." if is_new else f"{before.number} had been fulfilled before."
    return _done(before, details, message)


async def cancel(visit: Visit) -> Answer:
    before = await lock(visit, orders_db.get_for_update, "Order")
    details, unreturned = await orders_service.cancel(visit.deps, visit.id, visit.text("reason"))
    note = f" {money.text(unreturned)} could not go back on a revoked gift card." if unreturned else ""
    return _done(before, details, f"{before.number} is cancelled.{note}")


async def refund(visit: Visit) -> Answer:
    before = await lock(visit, orders_db.get_for_update, "Order")
    details, given, _ = await orders_service.refund(visit.deps, visit.id, _amount(visit), visit.text("reason"))
    return _done(before, details, f"{money.text(given.amount)} {before.currency} of {before.number} were refunded.")


async def approve(visit: Visit) -> Answer:
    return await _review(visit, "legitimate", "is approved")


async def reject(visit: Visit) -> Answer:
    return await _review(visit, "fraud", "is rejected as fraud")


async def send_again(visit: Visit) -> Answer:
    public_id = visit.form.get("delivery", "")
    delivery = await webhooks_service.redeliver(visit.deps, public_id)
    message = f"{delivery.event_type} is sent again now."
    return Done(_url(visit.id), message, f"delivery:{public_id}", after={"status": delivery.status})


async def _review(visit: Visit, outcome: ReviewedAs, what: str) -> Done:
    before = await lock(visit, orders_db.get_for_update, "Order")
    async with visit.deps.db.read() as tx:
        (details,) = await order_lists.sales(tx, [before])
    if details.check is None:
        raise Unprocessable("not_checked", "This order was not checked for fraud, so there is nothing to review.")
    await fraud_service.review(visit.deps, details.check.id, outcome, visit.text("notes"), visit.user.id)
    async with visit.deps.db.read() as tx:
        (details,) = await order_lists.sales(tx, [await orders_db.get(tx, visit.id) or before])
    return _done(before, details, f"{before.number} {what}.")


def _amount(visit: Visit) -> money.Hundredths | None:
    text = visit.text("amount")
    try:
        amount = money.parse(text) if text else None
    except money.NotMoney:
        amount = money.Hundredths(0)
    if amount is not None and amount <= 0:
        raise invalid("amount", "The amount must be a number above zero, such as 12.50.")
    return amount


def _done(before: Order, after: OrderDetails, message: str) -> Done:
    return Done(_url(before.id), message, f"order:{before.id}", _audited(before), _audited(after.order))


def _audited(order: Order) -> dict[str, object]:
    return {
        "status": order.status,
        "refunded_total": money.text(order.refunded_total),
        "cancel_reason": order.cancel_reason,
        "fulfillment_note": order.fulfillment_note,
    }


def _url(order_id: int) -> str:
    return url(f"/orders/{order_id}")


_ORDER = ("order.html", show_order)
_GONE = "The order is cancelled for good. Its coupon, stock and gift card are released."
_FRAUD = "The order is cancelled where it still can be, and counts as confirmed fraud for its buyer."

PAGES = (
    Page("GET", "/orders", "read_only", "Orders", lists.page_of(ORDERS), "orders.html", group="Sell"),
    Page("GET", "/orders/{id}", "read_only", "Order", show_order, "order.html"),
    change("/orders/{id}/fulfill", "Mark fulfilled", fulfill, _ORDER),
    change("/orders/{id}/cancel", "Cancel order", cancel, _ORDER, _GONE),
    Page("GET", "/orders/{id}/refund", "staff", "Refund order", show_order, "refund.html"),
    change("/orders/{id}/refund", "Refund order", refund, ("refund.html", show_order)),
    change("/orders/{id}/approve", "Approve order", approve, _ORDER),
    change("/orders/{id}/reject", "Reject order as fraud", reject, _ORDER, _FRAUD),
    change("/orders/{id}/send-again", "Send a delivery again", send_again),
)
