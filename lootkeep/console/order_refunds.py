"""The refund of an order, in full or in part, within the limit of the role."""

from __future__ import annotations

from lootkeep.console import forms
from lootkeep.console.forms import Field
from lootkeep.console.orders import ORDER
from lootkeep.console.page import Answer, Visit
from lootkeep.domain import orders as orders_rules, refunds as refunds_rules
from lootkeep.domain.orders import Order
from lootkeep.kernel.money import Hundredths
from lootkeep.services import orders as orders_service

REFUND = (
    Field("amount", "Amount", forms.amount(1), "Leave empty to refund everything that is left."),
    Field("reason", "Reason", forms.text(), "Stored with the refund and sent to receivers."),
)
_REFUNDED = (
    "The refund is recorded here and announced to receivers; the money itself goes back through your payment provider."
)


async def show_refund(visit: Visit) -> Answer:
    order = await ORDER.get(visit)
    left = visit.formats.money(_left(order), order.currency)
    limit = visit.user.permissions.refund_limit
    most = "" if limit is None else f" Your role refunds up to {visit.formats.money(limit)} at once."
    text, title = f"{left} can be refunded.{most} {_REFUNDED}", f"Refund {order.number}"
    return forms.show(visit, REFUND, order, title=title, text=text, submit="Refund", back=f"/orders/{order.id}")


async def _ask_refund(visit: Visit) -> tuple[str, str]:
    """Without an amount everything goes back, so the sum is named first."""
    if visit.text("amount"):
        return "", ""
    order = await ORDER.lock(visit)
    left = visit.formats.money(_left(order), order.currency)
    return f"Refund {left}, which is everything that is left of {order.number}? {_REFUNDED}", f"Refund {left}"


async def refund(visit: Visit) -> Answer:
    before = await ORDER.lock(visit)
    values = forms.read(visit, REFUND)
    amount = before.refundable if values["amount"] is None else values["amount"]
    visit.user.permissions.check_refund(amount, before.currency, visit.deps.currency)
    details, refund, _ = await orders_service.refund(visit.deps, visit.id, **values)
    message = f"Refunded {visit.formats.money(refund.amount, before.currency)} of {before.number}."
    return ORDER.done(message, before, details.order)


def _left(order: Order) -> Hundredths:
    """What can be refunded, if anything can."""
    orders_rules.require(order, "refund")
    return refunds_rules.refund_amount(order, None)


PAGES = forms.rows("/orders/{id}/refund", "orders:write", "Refund order", show_refund, refund, confirm=_ask_refund)
