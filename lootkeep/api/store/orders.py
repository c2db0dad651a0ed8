"""Orders over the Store API: placing, paying, refunding, cancelling."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.http import card_codes
from lootkeep.api.http.errors import Forbidden
from lootkeep.api.http.fields import Country, IpAddress, Metadata, PositiveMoney, Time, metadata_text
from lootkeep.api.http.routes import Call, Group, Reply, Route, single
from lootkeep.api.http.validation import Body
from lootkeep.api.store import order_reports
from lootkeep.api.store.customers import IMPORT_SCOPE, DeviceId, NameText
from lootkeep.api.store.payment import PaymentBody, payment_facts
from lootkeep.domain.checkout import Cart, CartLine
from lootkeep.domain.orders import MAX_LINES, MAX_QUANTITY, CheckoutStep, RefundReason
from lootkeep.services import orders as orders_service
from lootkeep.views import orders as orders_views

# An order that cannot be paid now never reads as placed, whether it is sent for the first time or again.
_NOT_PLACED: dict[CheckoutStep | None, str] = {
    "wait_for_review": "The order is on hold until it is reviewed",
    "verify": "The order is on hold until the customer is verified",
    "refused": "The order is refused and must not be paid",
}
_UNRETURNED = "Order {}; the gift card that paid for it was revoked and got nothing back"
_NO_METADATA: dict[str, Any] = {}

NoteText = Annotated[str, Field(max_length=2000)]


class CartLineBody(Body):
    """One line of the order."""

    product_id: Annotated[int, Field(ge=1, description="The product.", examples=[9])]
    quantity: Annotated[int, Field(ge=1, le=MAX_QUANTITY, description="How many.", examples=[1])]


class OrderBody(Body):
    """An order as the checkout sends it."""

    customer_id: Annotated[int, Field(ge=1, description="Who orders.", examples=[31])]
    items: Annotated[list[CartLineBody], Field(min_length=1, max_length=MAX_LINES, description="What is ordered.")]
    ip_address: Annotated[IpAddress, Field(description="Where the order comes from.", examples=["203.0.113.9"])]
    billing_country: Annotated[Country | None, Field(description="ISO 3166-1 alpha-2.", examples=["KR"])] = None
    user_agent: Annotated[NoteText | None, Field(description="The browser's User-Agent.")] = None
    device_id: Annotated[DeviceId | None, Field(description="What the storefront knows the device by.")] = None
    coupon_code: Annotated[
        NameText | None, Field(description="A coupon of this customer; gift cards are not discounted.")
    ] = None
    gift_card_code: Annotated[
        NameText | None,
        Field(
            description="A gift card that pays as much as it holds, except for gift cards.",
            examples=["7KQ2-M9XW-4TRB-7K2P"],
        ),
    ] = None
    payment: Annotated[
        PaymentBody | None, Field(description="Extension: what the payment provider says of the means of payment.")
    ] = None
    external_id: Annotated[
        NameText | None, Field(description="The store's own id; sent again it answers the same order.")
    ] = None
    metadata: Annotated[Metadata, Field(description="Stored with the order as it is.")] = _NO_METADATA
    created_at: Annotated[Time | None, Field(description="History: when it was placed; needs `store:import`.")] = None
    paid_at: Annotated[Time | None, Field(description="History: when it was paid; needs `store:import`.")] = None
    completed_at: Annotated[Time | None, Field(description="History: when it was delivered; needs `store:import`.")] = (
        None
    )


class PayBody(Body):
    """How the order was paid."""

    payment_method: Annotated[NameText | None, Field(description="As the store calls it.", examples=["card"])] = None
    transaction_id: Annotated[NameText | None, Field(description="The provider's id.", examples=["pi_123"])] = None


class RefundBody(Body):
    """How much goes back, and why."""

    amount: Annotated[PositiveMoney | None, Field(description="All that is left when absent.", examples=["5.00"])] = (
        None
    )
    reason: Annotated[NoteText | None, Field(description="Why it goes back.", examples=["changed their mind"])] = None
    reason_code: Annotated[
        RefundReason | None, Field(description="Extension: `fraud` labels the order as fraud.", examples=["fraud"])
    ] = None
    allow_unrecovered: Annotated[
        bool,
        Field(description="Refund what gift cards bought in the order no longer hold, too.", examples=[False]),
    ] = False


class CancelBody(Body):
    """Why the order is cancelled."""

    reason: Annotated[NoteText | None, Field(description="Why it is cancelled.", examples=["never paid"])] = None


async def place_order(call: Call[OrderBody, None]) -> Reply:
    sent: dict[str, Any] = call.body.sent()
    is_history = any(sent.get(name) is not None for name in ("created_at", "paid_at", "completed_at"))
    if is_history and not call.token.may(IMPORT_SCOPE):
        raise Forbidden(IMPORT_SCOPE)
    lines = tuple(CartLine(line.product_id, line.quantity) for line in sent.pop("items"))
    metadata = metadata_text(sent.pop("metadata", {}))
    payment = payment_facts(call.deps, sent.pop("payment", None))
    if call.body.gift_card_code:
        await card_codes.find(call.deps, call.token, call.body.gift_card_code)
    place = orders_service.import_order if is_history else orders_service.place
    details, is_new = await place(call.deps, Cart(**sent, lines=lines, metadata=metadata, payment=payment))
    answer = orders_views.placed(details)
    return Reply(answer, message=_NOT_PLACED.get(answer.next), is_repeated=not is_new)


async def pay_order(call: Call[PayBody, None]) -> Reply:
    body = call.body
    return Reply(
        orders_views.order(await orders_service.pay(call.deps, call.id, body.payment_method, body.transaction_id))
    )


async def refund_order(call: Call[RefundBody, None]) -> Reply:
    body = call.body
    details, refund, split = await orders_service.refund(
        call.deps,
        call.id,
        body.amount,
        body.reason,
        reason_code=body.reason_code,
        allow_unrecovered=body.allow_unrecovered,
    )
    return Reply(
        orders_views.refunded(details, refund, split),
        message=_UNRETURNED.format("refunded") if split.unreturned else None,
    )


async def cancel_order(call: Call[CancelBody, None]) -> Reply:
    details, unreturned = await orders_service.cancel(call.deps, call.id, call.body.reason)
    return Reply(orders_views.order(details), message=_UNRETURNED.format("cancelled") if unreturned else None)


GROUP = Group(
    name="Store: orders",
    description="Orders as the store's checkout reports them.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/orders",
            place_order,
            "store:write",
            "Place an order",
            single(
                orders_views.PlacedOrderView,
                "Order placed successfully",
                status=201,
                repeated="The order had been placed before",
            ),
            body=OrderBody,
            description="Reserves stock and coupon, and takes what it can from the gift card. `next` says what the "
            "checkout has to do now: `pay`, `wait_for_review`, `verify` (the order is on hold) or `refused` (it must "
            "not be paid). An order with nothing due is paid at once, and `next` is null. The same `external_id` again "
            "answers the same order with 200.",
        ),
        Route(
            "POST",
            "/orders/{id}/pay",
            pay_order,
            "store:write",
            "Mark an order as paid",
            single(orders_views.OrderView, "Order paid successfully"),
            body=PayBody,
            description="The same `transaction_id` again changes nothing.",
        ),
        Route(
            "POST",
            "/orders/{id}/refund",
            refund_order,
            "store:write",
            "Refund an order",
            single(orders_views.RefundedOrderView, "Order refunded successfully"),
            body=RefundBody,
            description="In full, or an amount. Money goes back before the gift card does. The amount is taken off "
            "gift cards bought in the order first; what they no longer hold is 409 `gift_cards_spent` unless "
            "`allow_unrecovered` is sent. Once everything is given back the order is `refunded`, and those cards "
            "are revoked.",
        ),
        Route(
            "POST",
            "/orders/{id}/cancel",
            cancel_order,
            "store:write",
            "Cancel an order",
            single(orders_views.OrderView, "Order cancelled successfully"),
            body=CancelBody,
            description="Only before it is paid. Releases the stock, the coupon and what it took from a gift card.",
        ),
        *order_reports.ROUTES,
    ),
)
