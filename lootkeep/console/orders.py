"""The list of orders, an order's story, and what can be done to one."""

from __future__ import annotations

from lootkeep.console import forms, lists, order_story
from lootkeep.console.columns import AGO, BADGE, CODE, NAME, RISK, Column, amount
from lootkeep.console.forms import Field
from lootkeep.console.labels import options
from lootkeep.console.lists import Choice, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change
from lootkeep.console.records import Record
from lootkeep.domain.customers import plain_code
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.score import RiskLevel
from lootkeep.domain.orders import OrderStatus
from lootkeep.kernel import money
from lootkeep.kernel.errors import Unprocessable
from lootkeep.services import fraud as fraud_service
from lootkeep.services import orders as orders_service
from lootkeep.storage import order_lists
from lootkeep.storage import orders as orders_db

ORDERS = ListPage(
    listing=order_lists.LISTING,
    columns=(
        Column("Order", "order.number", CODE, "id"),
        Column("Customer", "customer.name", NAME),
        Column("Status", "order.status", BADGE),
        Column("Risk", "check", RISK),
        Column("Total", "order.total", amount("order.currency"), "total"),
        Column("Placed", "order.created_at", AGO, "created_at"),
    ),
    link=lambda details: f"/orders/{details.order.id}",
    empty="Orders appear here as the store places them through the Store API.",
    file="orders",
    choices=(
        Choice("status", "Status", options(OrderStatus), is_open=True),
        Choice("risk_level", "Risk", options(RiskLevel)),
    ),
    linked={
        "customer_id": ("Customer", int),
        "product_id": ("Product", int),
        "coupon_code": ("Coupon", plain_code),
        "country": ("Country", str.upper),
        "payment_method": ("Payment", str),
    },
    search="Name, e-mail, order number or transaction",
    load=lambda _, tx, orders: order_lists.sales(tx, orders),
)
ORDER = Record("Order", "/orders/{id}", orders_db, ("status", "cancel_reason", "fulfillment_note"), ("refunded_total",))
REFUND = (
    Field("amount", "Amount", forms.amount(1), "Everything that is left when empty."),
    Field("reason", "Reason", forms.text(), "Stored with the refund and sent to receivers."),
)
_REFUNDED = (
    "The refund is recorded here and announced to receivers; the money itself goes back through your payment provider."
)


async def show_order(visit: Visit) -> Answer:
    story = await order_story.load(visit.deps, visit.id)
    return {"story": story, "sale": story.details, "order": story.details.order, "title": story.details.order.number}


async def show_refund(visit: Visit) -> Answer:
    order = await ORDER.get(visit)
    left = visit.formats.money(order.refundable, order.currency)
    text = f"{left} can be refunded. {_REFUNDED}"
    title = f"Refund {order.number}"
    return forms.show(visit, REFUND, order, title=title, text=text, submit="Refund", back=f"/orders/{order.id}")


async def fulfill(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    details, is_new = await orders_service.fulfill(visit.deps, visit.id, None, visit.text("note"))
    message = f"{before.number} is fulfilled." if is_new else f"{before.number} had been fulfilled before."
    return ORDER.done(message, before, details.order)


async def cancel(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    details, unreturned = await orders_service.cancel(visit.deps, visit.id, visit.text("reason"))
    note = f" {money.text(unreturned)} could not go back on a revoked gift card." if unreturned else ""
    return ORDER.done(f"{before.number} is cancelled.{note}", before, details.order)


async def refund(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    details, given, _ = await orders_service.refund(visit.deps, visit.id, **forms.read(visit, REFUND))
    message = f"{money.text(given.amount)} {before.currency} of {before.number} were refunded."
    return ORDER.done(message, before, details.order)


async def approve(visit: Visit) -> Answer:
    return await _review(visit, "legitimate", "is approved")


async def reject(visit: Visit) -> Answer:
    return await _review(visit, "fraud", "is rejected as fraud")


async def _review(visit: Visit, outcome: ReviewedAs, what: str) -> Done:
    before = await ORDER.lock(visit)
    async with visit.deps.db.read() as tx:
        (details,) = await order_lists.sales(tx, [before])
    if details.check is None:
        raise Unprocessable("not_checked", "This order was not checked for fraud, so there is nothing to review.")
    await fraud_service.review(visit.deps, details.check.id, outcome, visit.text("notes"), visit.user.id)
    return ORDER.done(f"{before.number} {what}.", before, await ORDER.get(visit))


_ORDER = ("order.html", show_order)
_GONE = "The order is cancelled for good. Its coupon, stock and gift card are released."
_FRAUD = "The order is cancelled where it still can be, and counts as confirmed fraud for its buyer."

PAGES = (
    lists.page("/orders", "Orders", ORDERS, "Sell"),
    Page("GET", "/orders/{id}", "read_only", "Order", show_order, "order.html"),
    change("/orders/{id}/fulfill", "Mark fulfilled", fulfill, _ORDER),
    change("/orders/{id}/cancel", "Cancel order", cancel, _ORDER, _GONE),
    *forms.rows("/orders/{id}/refund", "Refund order", show_refund, refund),
    change("/orders/{id}/approve", "Approve order", approve, _ORDER),
    change("/orders/{id}/reject", "Reject order as fraud", reject, _ORDER, _FRAUD),
)
