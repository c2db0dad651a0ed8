"""Orders in public, and how the Store API answers a placed order."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.fraud.facts import UNKNOWN, Funding, Payment, ThreeDSecure
from lootkeep.domain.fraud.review import detected_signals
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.orders import (
    CheckoutStep,
    Order,
    OrderCheck,
    OrderDetails,
    OrderStatus,
    Refund,
    RefundReason,
    RefundSplit,
    next_step,
)
from lootkeep.kernel.clock import utc
from lootkeep.kernel.money import text
from lootkeep.views import players as players_views
from lootkeep.views.fields import Metadata, Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.players import PlayerView

Amount = Annotated[str, field("An amount in the order's currency.", "19.99")]


class OrderCustomerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]


class OrderItemView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the line.", 41)]
    product_id: Annotated[int, field("The product.", 9)]
    product_name: Annotated[str, field("The name at the time of the order.", "VIP rank")]
    sku: Annotated[str | None, field("The sku at the time of the order.", "VIP-1")]
    quantity: Annotated[int, field("How many.", 1)]
    price: Amount
    total: Amount
    fulfilled_quantity: Annotated[int, field("The delivered quantity.", 0)]


class OrderFraudView(msgspec.Struct, frozen=True):
    check_id: Annotated[int, field("The fraud check.", 17)]
    risk_score: Annotated[int, field("0 to 100.", 12)]
    risk_level: Annotated[RiskLevel, field("The risk level.", "low")]
    action_taken: Annotated[Action, field("The decision.", "allowed")]


class OrderPaymentView(msgspec.Struct, frozen=True):
    country: Annotated[str | None, field("The country that issued the card.", "KR")]
    funding: Annotated[Funding | None, field("The type of the card.", "credit")]
    three_d_secure: Annotated[ThreeDSecure | None, field("The result of the bank's challenge.", "passed")]
    bin: Annotated[str | None, field("The first digits of the card.", "424242")]
    instrument_id: Annotated[str | None, field("The same for the same card; a hash.", "9c1f27ab")]


class OrderView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the order.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]
    status: Annotated[OrderStatus, field("The status of the order.", "pending")]
    customer: OrderCustomerView
    items: list[OrderItemView]
    subtotal: Amount
    discount_total: Annotated[str, field("The coupon discount.", "0.00")]
    total: Amount
    gift_card_total: Annotated[str, field("The amount a gift card pays.", "0.00")]
    amount_due: Annotated[str, field("What is left to pay; `0.00` once it is paid or cancelled.", "19.99")]
    refunded_total: Annotated[str, field("The sum of refunds.", "0.00")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    coupon_code: Annotated[str | None, field("The coupon that was used.", None)]
    referral_code: Annotated[str | None, field("The referral code of the customer's referrer.", None)]
    payment_method: Annotated[str | None, field("As sent by the store.", None)]
    transaction_id: Annotated[str | None, field("The payment provider's id.", None)]
    ip_address: Annotated[str | None, field("The IP address of the order.", "203.0.113.9")]
    billing_country: Annotated[str | None, field("ISO 3166-1 alpha-2.", "KR")]
    fraud: OrderFraudView | None
    cancel_reason: Annotated[str | None, field("Why it was cancelled.", None)]
    external_id: Annotated[str | None, field("The id of the order in the store's own system.", None)]
    metadata: Metadata
    created_at: Time
    updated_at: Time
    paid_at: Annotated[Moment | None, field("When it was paid; also set while the payment is held.", None)]
    completed_at: Annotated[Moment | None, field("When everything was delivered.", None)]
    cancelled_at: Annotated[Moment | None, field("When it was cancelled.", None)]
    refunded_at: Annotated[Moment | None, field("When it was last refunded.", None)]
    fulfillment_note: Annotated[str | None, field("The note from fulfilment.", None)]
    page_url: Annotated[str | None, field("The buyer's page; only in the Store API, and only with a public URL.", None)]
    player: Annotated[PlayerView | None, field("Extension: who gets it, if not the buyer.", None)]
    payment: Annotated[OrderPaymentView | None, field("Extension: what is known of the payment method.", None)]
    tax_total: Annotated[str | None, field("Extension: the tax in the total, as the checkout reported it.", None)]
    tax_rate: Annotated[str | None, field("Extension: in per cent.", None)]
    tax_country: Annotated[str | None, field("Extension: where it is due, ISO 3166-1 alpha-2.", None)]


class PaidOrderView(OrderView, frozen=True):
    next: Annotated[
        CheckoutStep | None,
        field("Null if it is paid; `wait_for_review` if the payment is held, and `refund` once it was fraud.", None),
    ]


class OrderCheckView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("The fraud check.", 17)]
    risk_score: Annotated[int, field("0 to 100.", 12)]
    risk_level: Annotated[RiskLevel, field("The risk level.", "low")]
    action_taken: Annotated[Action, field("The decision.", "allowed")]
    detected_signals: Annotated[
        list[str], field("Labels of the signals, the heaviest first.", ["No browser, or a program"])
    ]


class PlacedOrderView(msgspec.Struct, frozen=True):
    order: OrderView
    next: Annotated[
        CheckoutStep | None,
        field(
            "What the checkout must do now: take the payment, wait for a review, verify the customer, or stop. "
            "Null if the order is already paid.",
            "pay",
        ),
    ]
    fraud_check: OrderCheckView | None


class RefundView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the refund.", 2)]
    amount: Amount
    payment_amount: Annotated[str, field("The amount refunded to the payment method.", "19.99")]
    gift_card_amount: Annotated[str, field("The amount put back on the gift card.", "0.00")]
    unreturned_amount: Annotated[str, field("The amount a revoked gift card had paid; it was not put back.", "0.00")]
    unrecovered_amount: Annotated[
        str, field("The amount refunded although it was already spent from gift cards bought in the order.", "0.00")
    ]
    reason: Annotated[str | None, field("Why it was refunded.", "changed their mind")]
    reason_code: Annotated[RefundReason | None, field("Extension: `fraud` if it was fraud.", None)]
    created_at: Time


class RefundedOrderView(msgspec.Struct, frozen=True):
    order: OrderView
    refund: RefundView


_PARTS = ("customer", "items", "fraud", "page_url", "player", "payment")
_ORDER = view_of(OrderView, Order, *_PARTS, order_number="number", paid_at="received_at")
_PAID = view_of(PaidOrderView, Order, *_PARTS, "next", order_number="number", paid_at="received_at")
_item = view_of(OrderItemView, OrderItem)
_payment = view_of(OrderPaymentView, Payment, instrument_id="instrument")


def order(details: OrderDetails, page_url: str | None = None) -> OrderView:
    return _ORDER(details.order, **_parts(details), page_url=page_url)


def paid(details: OrderDetails, page_url: str | None) -> PaidOrderView:
    return _PAID(details.order, **_parts(details), page_url=page_url, next=next_step(details.order, details.check))


def _parts(details: OrderDetails) -> dict[str, Any]:
    customer = OrderCustomerView(details.customer.id, details.customer.name, details.customer.email)
    return {
        "customer": customer,
        "items": [_item(item) for item in details.items],
        "fraud": _fraud(details.check),
        "player": players_views.player(details.order.player),
        "payment": _payment(payment) if (payment := details.order.payment) != UNKNOWN else None,
    }


def _fraud(check: OrderCheck | None) -> OrderFraudView | None:
    if check is None:
        return None
    return OrderFraudView(check.id, check.risk_score, check.risk_level, check.action_taken)


def placed(details: OrderDetails, page_url: str | None) -> PlacedOrderView:
    return PlacedOrderView(order(details, page_url), next_step(details.order, details.check), _check(details.check))


def _check(check: OrderCheck | None) -> OrderCheckView | None:
    if check is None:
        return None
    signals = detected_signals(msgspec.json.decode(check.signals, type=dict[str, int]))
    return OrderCheckView(check.id, check.risk_score, check.risk_level, check.action_taken, signals)


def refunded(details: OrderDetails, new_refund: Refund, split: RefundSplit, page_url: str | None) -> RefundedOrderView:
    refund = RefundView(
        id=new_refund.id,
        amount=text(new_refund.amount),
        payment_amount=text(split.payment),
        gift_card_amount=text(split.gift_card),
        unreturned_amount=text(split.unreturned),
        unrecovered_amount=text(split.unrecovered),
        reason=new_refund.reason,
        reason_code=new_refund.reason_code,
        created_at=utc(new_refund.created_at),
    )
    return RefundedOrderView(order(details, page_url), refund)
