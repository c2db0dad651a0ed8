"""Orders over the Store API: placing, finding, paying, refunding, cancelling."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any

from pydantic import Field

from lootkeep.api.http.errors import Forbidden
from lootkeep.api.http.fields import (
    Country,
    Currency,
    IpAddressText,
    Metadata,
    PositiveMoney,
    Time,
    field,
    metadata_text,
)
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Group, Reply, Route, paged, single
from lootkeep.api.http.validation import Body
from lootkeep.api.records import orders as order_records
from lootkeep.api.records.players import PlayerBody, player_of
from lootkeep.api.store import goods, order_reports
from lootkeep.api.store.customers import IMPORT_SCOPE, DeviceId, NameText
from lootkeep.api.store.payment import PaidWithBody, PaymentBody, payment_facts
from lootkeep.api.store.products import Price
from lootkeep.api.store.taxes import TaxFields
from lootkeep.domain.checkout import Cart, CartLine, PastRefund
from lootkeep.domain.orders import MAX_LINES, MAX_QUANTITY, CheckoutStep, PastStatus, RefundReason
from lootkeep.services import gift_cards as gift_cards_service, goods as goods_service, orders as orders_service
from lootkeep.views import orders as orders_views

# The message of an order that cannot be paid now never says "placed", even if it is sent again.
_NOT_PLACED: dict[CheckoutStep | None, str] = {
    "wait_for_review": "The order is on hold until it is reviewed",
    "verify": "The order is on hold until the customer is verified",
    "refused": "The order is refused and must not be paid",
    "refund": "The order is on hold and must be refunded",
}
_UNRETURNED = "Order {}; the gift card that paid for it was revoked and got nothing back"
_NO_METADATA: dict[str, Any] = {}
_NO_REFUNDS: list[Any] = []
_MAX_PAST_REFUNDS = 20
# Fields that only imported orders may have.
_HISTORY = ("created_at", "paid_at", "completed_at", "cancelled_at", "status", "discount", "currency", "refunds")

FreeText = Annotated[str, Field(max_length=2000)]


class CartLineBody(Body):
    """One line of the order."""

    product_id: Annotated[int, field("The product.", 9, ge=1)]
    quantity: Annotated[int, field("How many.", 1, ge=1, le=MAX_QUANTITY)]
    price: Annotated[
        Price | None, field("History: the unit price at that time, by default the current price; needs `store:import`.")
    ] = None


class PastRefundBody(Body):
    """A refund of an imported order."""

    amount: Annotated[PositiveMoney, field("The refunded amount.", "5.00")]
    reason: Annotated[FreeText | None, field("Why.", "changed their mind")] = None
    created_at: Annotated[Time | None, field("When it was refunded; by default at the order's last step.")] = None


class OrderBody(TaxFields):
    """A new order."""

    customer_id: Annotated[int, field("The customer.", 31, ge=1)]
    items: Annotated[list[CartLineBody], field("The lines of the order.", min_length=1, max_length=MAX_LINES)]
    ip_address: Annotated[IpAddressText, field("The IP address of the buyer.", "203.0.113.9")]
    billing_country: Annotated[Country | None, field("ISO 3166-1 alpha-2.", "KR")] = None
    user_agent: Annotated[FreeText | None, field("The browser's User-Agent.")] = None
    device_id: Annotated[DeviceId | None, field("The storefront's identifier of the device.")] = None
    coupon_code: Annotated[
        NameText | None, field("A coupon that this customer can use; gift cards are not discounted.")
    ] = None
    gift_card_code: Annotated[
        NameText | None,
        field("A gift card that pays as much as its balance allows, except for gift cards.", "7KQ2-M9XW-4TRB-7K2P"),
    ] = None
    player: Annotated[PlayerBody | None, field("Extension: who gets it, if not the buyer.")] = None
    payment: Annotated[
        PaymentBody | None, field("Extension: what the payment provider reports about the payment method.")
    ] = None
    external_id: Annotated[
        NameText | None, field("The id in the store's own system; sending it again returns the same order.")
    ] = None
    metadata: Annotated[Metadata, field("Stored with the order unchanged.")] = _NO_METADATA
    created_at: Annotated[Time | None, field("History: when it was placed; needs `store:import`.")] = None
    paid_at: Annotated[Time | None, field("History: when it was paid; needs `store:import`.")] = None
    completed_at: Annotated[Time | None, field("History: when it was delivered; needs `store:import`.")] = None
    cancelled_at: Annotated[Time | None, field("History: when it was cancelled; needs `store:import`.")] = None
    status: Annotated[
        PastStatus | None,
        field(
            "History: the final status; needs `store:import`. A missing time is that of the step before. "
            "Without it, times and refunds decide."
        ),
    ] = None
    discount: Annotated[Price | None, field("History: the discount of the whole order; needs `store:import`.")] = None
    currency: Annotated[
        Currency | None, field("History: by default the currency of the products; needs `store:import`.")
    ] = None
    refunds: Annotated[
        Annotated[list[PastRefundBody], Field(max_length=_MAX_PAST_REFUNDS)],
        field("History: the refunds; needs `store:import`. A refunded order without any was refunded in full."),
    ] = _NO_REFUNDS
    payment_method: Annotated[
        NameText | None, field("The payment method, for history or an order with nothing due.", "card")
    ] = None


class FindOrderQuery(PageQuery):
    """Which order is looked for."""

    external_id: Annotated[NameText | None, field("The order with this external id.")] = None


class PayBody(Body):
    """How the order was paid."""

    payment_method: Annotated[NameText | None, field("The store's name for it.", "card")] = None
    transaction_id: Annotated[NameText | None, field("The provider's id.", "pi_123")] = None
    payment: Annotated[PaidWithBody | None, field("Extension: what the provider reports about it.")] = None


class RefundBody(Body):
    """The amount and reason of the refund."""

    amount: Annotated[PositiveMoney | None, field("By default everything that is left.", "5.00")] = None
    reason: Annotated[FreeText | None, field("Why it is refunded.", "changed their mind")] = None
    reason_code: Annotated[RefundReason | None, field("Extension: `fraud` labels the order as fraud.", "fraud")] = None
    allow_unrecovered: Annotated[
        bool, field("Also refund what was already spent from gift cards bought in the order.", False)
    ] = False


class CancelBody(Body):
    """Why the order is cancelled."""

    reason: Annotated[FreeText | None, field("Why it is cancelled.", "never paid")] = None


async def place_order(call: Call[OrderBody, None]) -> Reply:
    sent: dict[str, Any] = call.body.sent()
    lines = tuple(CartLine(**line.sent()) for line in sent.pop("items"))
    is_history = any(sent.get(name) not in (None, []) for name in _HISTORY)
    is_history = is_history or any(line.price is not None for line in lines)
    if is_history and not call.token.may(IMPORT_SCOPE):
        raise Forbidden(IMPORT_SCOPE)
    sent["refunds"] = tuple(PastRefund(**refund.sent()) for refund in sent.get("refunds", ()))
    metadata = metadata_text(sent.pop("metadata", {}))
    sent["player"] = player_of(sent.get("player"))
    payment = payment_facts(call.deps, sent.pop("payment", None))
    cart = Cart(**sent, lines=lines, metadata=metadata, payment=payment)
    place = orders_service.import_order if is_history else orders_service.place
    has_code = bool(cart.gift_card_code)
    async with gift_cards_service.counting_misses(call.deps, call.token.id) if has_code else nullcontext():
        details, is_new = await place(call.deps, cart)
    answer = orders_views.placed(details, goods_service.page_url(call.deps, details.order))
    return Reply(answer, message=_NOT_PLACED.get(answer.next), is_repeated=not is_new)


async def find_orders(call: Call[None, FindOrderQuery]) -> Reply:
    return await order_records.answer_page(call, call.query.request(), goods_service.page_url)


async def read_store_order(call: Call[None, None]) -> Reply:
    return await order_records.read(call, goods_service.page_url)


async def pay_order(call: Call[PayBody, None]) -> Reply:
    body, facts = call.body, payment_facts(call.deps, call.body.payment)
    details = await orders_service.pay(call.deps, call.id, body.payment_method, body.transaction_id, facts)
    paid = orders_views.paid(details, goods_service.page_url(call.deps, details.order))
    return Reply(paid, message=_NOT_PLACED.get(paid.next))


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
        orders_views.refunded(details, refund, split, goods_service.page_url(call.deps, details.order)),
        message=_UNRETURNED.format("refunded") if split.unreturned else None,
    )


async def cancel_order(call: Call[CancelBody, None]) -> Reply:
    details, unreturned = await orders_service.cancel(call.deps, call.id, call.body.reason)
    order = orders_views.order(details, goods_service.page_url(call.deps, details.order))
    return Reply(order, message=_UNRETURNED.format("cancelled") if unreturned else None)


GROUP = Group(
    name="Store: orders",
    description="Orders reported by the store's checkout.",
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
            max_body=MAX_LARGE_BODY,
            description="Reserves stock and coupon, and debits the gift card. `next` is what the checkout must do now: "
            "`pay`, `wait_for_review`, `verify` (the order is on hold) or `refused` (it must not be paid). An "
            "order with nothing due is paid immediately, and `next` is null. Sending the same `external_id` "
            "again returns the same order with 200.",
        ),
        Route(
            "GET",
            "/orders",
            find_orders,
            "store:read",
            "Find orders",
            paged(orders_views.OrderView),
            description="Finds an order by `external_id`. Without it, returns all orders, newest first.",
        ),
        Route(
            "GET",
            "/orders/{id}",
            read_store_order,
            "store:read",
            "Read an order of the store",
            single(orders_views.OrderView),
            description="Includes lines, customer, payment, refunds and fraud check.",
        ),
        Route(
            "POST",
            "/orders/{id}/pay",
            pay_order,
            "store:write",
            "Mark an order as paid",
            single(orders_views.PaidOrderView, "Order paid successfully"),
            description="Sending the same `transaction_id` again changes nothing. The payment of a blocked customer is "
            "recorded, and the order is `on_hold` until a review.",
        ),
        Route(
            "POST",
            "/orders/{id}/refund",
            refund_order,
            "store:write",
            "Refund an order",
            single(orders_views.RefundedOrderView, "Order refunded successfully"),
            description="Refunds everything or an amount, the payment before the gift card. The amount is first "
            "deducted from gift cards bought in the order; amounts already spent return 409 `gift_cards_spent` unless "
            "`allow_unrecovered` is sent. After a full refund the order is `refunded`, and those cards are "
            "revoked.",
        ),
        Route(
            "POST",
            "/orders/{id}/cancel",
            cancel_order,
            "store:write",
            "Cancel an order",
            single(orders_views.OrderView, "Order cancelled successfully"),
            description="Only possible before payment. Releases the stock, the coupon and the gift card amount.",
        ),
        *order_reports.ROUTES,
        *goods.ORDER_ROUTES,
    ),
)
