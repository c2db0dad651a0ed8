"""Orders in public, and how the Store API answers a placed order."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.orders import OrderCheck, OrderItem, OrderStatus, Refund, Return, Sale
from lootkeep.kernel.clock import optional_utc, utc
from lootkeep.kernel.money import text
from lootkeep.views.fields import Metadata, Moment, Time, field

Amount = Annotated[str, field("An amount in the order's currency.", "19.99")]


class OrderCustomerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    email: Annotated[str, field("The customer's e-mail.", "jun@example.com")]


class OrderItemView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the line.", 41)]
    product_id: Annotated[int, field("The product.", 9)]
    product_name: Annotated[str, field("Its name when it was ordered.", "VIP rank")]
    sku: Annotated[str | None, field("Its sku when it was ordered.", "VIP-1")]
    quantity: Annotated[int, field("How many.", 1)]
    price: Amount
    total: Amount
    fulfilled_quantity: Annotated[int, field("How many were delivered.", 0)]


class OrderFraudView(msgspec.Struct, frozen=True):
    check_id: Annotated[int, field("The fraud check.", 17)]
    risk_score: Annotated[int, field("0 to 100.", 12)]
    risk_level: Annotated[RiskLevel, field("How risky the order is.", "low")]
    action_taken: Annotated[Action, field("What was decided.", "allowed")]


class OrderView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the order.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]
    status: Annotated[OrderStatus, field("Where the order stands.", "pending")]
    customer: OrderCustomerView
    items: list[OrderItemView]
    subtotal: Amount
    discount_total: Annotated[str, field("What a coupon took off.", "0.00")]
    total: Amount
    gift_card_total: Annotated[str, field("What a gift card pays.", "0.00")]
    amount_due: Amount
    refunded_total: Annotated[str, field("What was given back.", "0.00")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    coupon_code: Annotated[str | None, field("The coupon that was used.", None)]
    referral_code: Annotated[str | None, field("The code that brought the customer.", None)]
    payment_method: Annotated[str | None, field("As the store told it.", None)]
    transaction_id: Annotated[str | None, field("The payment provider's id.", None)]
    ip_address: Annotated[str | None, field("Where the order came from.", "203.0.113.9")]
    billing_country: Annotated[str | None, field("ISO 3166-1 alpha-2.", "KR")]
    fraud: OrderFraudView | None
    cancel_reason: Annotated[str | None, field("Why it was cancelled.", None)]
    external_id: Annotated[str | None, field("The store's own id of the order.", None)]
    metadata: Metadata
    created_at: Time
    updated_at: Time
    paid_at: Annotated[Moment | None, field("When it was paid.", None)]
    completed_at: Annotated[Moment | None, field("When everything was delivered.", None)]
    cancelled_at: Annotated[Moment | None, field("When it was cancelled.", None)]
    refunded_at: Annotated[Moment | None, field("When it was last refunded.", None)]
    fulfillment_note: Annotated[str | None, field("What was noted when it was delivered.", None)]


class OrderCheckView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("The fraud check.", 17)]
    risk_score: Annotated[int, field("0 to 100.", 12)]
    risk_level: Annotated[RiskLevel, field("How risky the order is.", "low")]
    action_taken: Annotated[Action, field("What was decided.", "allowed")]


class PlacedOrderView(msgspec.Struct, frozen=True):
    order: OrderView
    fraud_check: OrderCheckView | None


class RefundView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the refund.", 2)]
    amount: Amount
    payment_amount: Annotated[str, field("What goes back by the way of payment.", "19.99")]
    gift_card_amount: Annotated[str, field("What went back on the gift card.", "0.00")]
    unreturned_amount: Annotated[str, field("What a revoked gift card paid; it was not put back.", "0.00")]
    unrecovered_amount: Annotated[
        str, field("What was refunded though gift cards bought in the order no longer held it.", "0.00")
    ]
    reason: Annotated[str | None, field("Why it was given back.", "changed their mind")]
    created_at: Time


class RefundedOrderView(msgspec.Struct, frozen=True):
    order: OrderView
    refund: RefundView


def order(sale: Sale) -> OrderView:
    record = sale.order
    return OrderView(
        id=record.id,
        order_number=record.number,
        status=record.status,
        customer=OrderCustomerView(sale.customer.id, sale.customer.name, sale.customer.email),
        items=[_item(item) for item in sale.items],
        subtotal=text(record.subtotal),
        discount_total=text(record.discount_total),
        total=text(record.total),
        gift_card_total=text(record.gift_card_total),
        amount_due=text(record.amount_due),
        refunded_total=text(record.refunded_total),
        currency=record.currency,
        coupon_code=record.coupon_code,
        referral_code=record.referral_code,
        payment_method=record.payment_method,
        transaction_id=record.transaction_id,
        ip_address=record.ip_address,
        billing_country=record.billing_country,
        fraud=_fraud(sale.check),
        cancel_reason=record.cancel_reason,
        external_id=record.external_id,
        metadata=msgspec.Raw(record.metadata.encode()),
        created_at=utc(record.created_at),
        updated_at=utc(record.updated_at),
        paid_at=optional_utc(record.paid_at),
        completed_at=optional_utc(record.completed_at),
        cancelled_at=optional_utc(record.cancelled_at),
        refunded_at=optional_utc(record.refunded_at),
        fulfillment_note=record.fulfillment_note,
    )


def _fraud(check: OrderCheck | None) -> OrderFraudView | None:
    if check is None:
        return None
    return OrderFraudView(check.id, check.risk_score, check.risk_level, check.action_taken)


def placed(sale: Sale) -> PlacedOrderView:
    check = sale.check
    return PlacedOrderView(
        order(sale), OrderCheckView(check.id, check.risk_score, check.risk_level, check.action_taken) if check else None
    )


def refunded(sale: Sale, given: Refund, way: Return) -> RefundedOrderView:
    refund = RefundView(
        id=given.id,
        amount=text(given.amount),
        payment_amount=text(way.payment),
        gift_card_amount=text(way.gift_card),
        unreturned_amount=text(way.unreturned),
        unrecovered_amount=text(way.unrecovered),
        reason=given.reason,
        created_at=utc(given.created_at),
    )
    return RefundedOrderView(order(sale), refund)


def _item(item: OrderItem) -> OrderItemView:
    return OrderItemView(
        id=item.id,
        product_id=item.product_id,
        product_name=item.product_name,
        sku=item.sku,
        quantity=item.quantity,
        price=text(item.price),
        total=text(item.total),
        fulfilled_quantity=item.fulfilled_quantity,
    )
