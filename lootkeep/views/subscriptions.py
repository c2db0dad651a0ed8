"""Subscriptions in public: as the Store API answers them, and as their events carry them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import Sale
from lootkeep.domain.products import BillingInterval
from lootkeep.domain.subscriptions import Subscription, SubscriptionStatus
from lootkeep.kernel.clock import optional_utc, utc
from lootkeep.kernel.money import text
from lootkeep.views import orders
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.orders import OrderCustomerView, OrderView


class SubscriptionProductView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the product.", 9)]
    name: Annotated[str, field("Its name when it was subscribed to.", "VIP rank")]


class SubscriptionView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the subscription.", 5)]
    status: Annotated[SubscriptionStatus, field("Where the subscription stands.", "active")]
    customer: OrderCustomerView
    product: SubscriptionProductView
    price: Annotated[str, field("What each period costs; it stays when the product's price changes.", "9.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    interval: Annotated[BillingInterval, field("Unit of the period.", "month")]
    interval_count: Annotated[int, field("Units in a period.", 1)]
    current_period_start: Annotated[Moment, field("When the latest paid period begins.", "2026-11-15T10:30:00Z")]
    current_period_end: Annotated[Moment, field("When it ends, and the next begins.", "2026-12-15T10:30:00Z")]
    cancel_at_period_end: Annotated[bool, field("Whether it was cancelled to the end of its period.", False)]
    cancelled_at: Annotated[Moment | None, field("When cancelling was asked.", None)]
    ends_at: Annotated[Moment | None, field("When it ends or ended.", None)]
    cancel_reason: Annotated[str | None, field("Why it was cancelled.", None)]
    renewals_count: Annotated[int, field("How often it was renewed.", 0)]
    latest_order_id: Annotated[int | None, field("The order that paid the latest period.", 123)]
    created_at: Time
    updated_at: Time


class PaidPeriodView(msgspec.Struct, frozen=True):
    subscription: SubscriptionView
    order: OrderView


class SubscriptionData(msgspec.Struct, frozen=True):
    """The data of `subscription.created`, and the beginning of the others."""

    subscription_id: Annotated[int, field("Identifies the subscription.", 5)]
    customer_email: Annotated[str, field("The customer's e-mail.", "jun@example.com")]
    customer_name: Annotated[str, field("The customer's name.", "Jun Park")]
    product_id: Annotated[int, field("The product.", 9)]
    product_name: Annotated[str, field("Its name when it was subscribed to.", "VIP rank")]
    price: Annotated[str, field("What each period costs.", "9.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    interval: Annotated[BillingInterval, field("Unit of the period.", "month")]
    interval_count: Annotated[int, field("Units in a period.", 1)]
    status: Annotated[SubscriptionStatus, field("The subscription's status after the event.", "active")]
    current_period_start: Annotated[Moment, field("When the latest paid period begins.", "2026-11-15T10:30:00Z")]
    current_period_end: Annotated[Moment, field("When it ends, and the next begins.", "2026-12-15T10:30:00Z")]
    order_id: Annotated[int | None, field("The order that paid the latest period.", 123)]


class SubscriptionRenewedData(SubscriptionData, frozen=True):
    renewals_count: Annotated[int, field("How often it was renewed.", 1)]


class SubscriptionCancelledData(SubscriptionData, frozen=True):
    cancelled_at: Annotated[Moment | None, field("When cancelling was asked.", "2026-11-20T09:00:00Z")]
    ends_at: Annotated[Moment | None, field("When it ends or ended.", "2026-12-15T10:30:00Z")]
    reason: Annotated[str | None, field("Why it was cancelled.", "Too expensive")]


def subscription(record: Subscription, customer: Customer) -> SubscriptionView:
    return SubscriptionView(
        id=record.id,
        status=record.status,
        customer=OrderCustomerView(customer.id, customer.name, customer.email),
        product=SubscriptionProductView(record.product_id, record.product_name),
        price=text(record.price),
        currency=record.currency,
        interval=record.interval,
        interval_count=record.interval_count,
        current_period_start=utc(record.current_period_start),
        current_period_end=utc(record.current_period_end),
        cancel_at_period_end=record.cancel_at_period_end,
        cancelled_at=optional_utc(record.cancelled_at),
        ends_at=optional_utc(record.ends_at),
        cancel_reason=record.cancel_reason,
        renewals_count=record.renewals_count,
        latest_order_id=record.latest_order_id,
        created_at=utc(record.created_at),
        updated_at=utc(record.updated_at),
    )


def paid_period(record: Subscription, sale: Sale) -> PaidPeriodView:
    return PaidPeriodView(subscription(record, sale.customer), orders.order(sale))


def created(record: Subscription, customer: Customer) -> SubscriptionData:
    return SubscriptionData(**_snapshot(record, customer))


def renewed(record: Subscription, customer: Customer) -> SubscriptionRenewedData:
    return SubscriptionRenewedData(**_snapshot(record, customer), renewals_count=record.renewals_count)


def cancelled(record: Subscription, customer: Customer) -> SubscriptionCancelledData:
    return SubscriptionCancelledData(
        **_snapshot(record, customer),
        cancelled_at=optional_utc(record.cancelled_at),
        ends_at=optional_utc(record.ends_at),
        reason=record.cancel_reason,
    )


def _snapshot(record: Subscription, customer: Customer) -> dict[str, Any]:
    return {
        "subscription_id": record.id,
        "customer_email": customer.email,
        "customer_name": customer.name,
        "product_id": record.product_id,
        "product_name": record.product_name,
        "price": text(record.price),
        "currency": record.currency,
        "interval": record.interval,
        "interval_count": record.interval_count,
        "status": record.status,
        "current_period_start": utc(record.current_period_start),
        "current_period_end": utc(record.current_period_end),
        "order_id": record.latest_order_id,
    }
