"""Subscriptions in public: as the Store API answers them, and as their events carry them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import OrderDetails
from lootkeep.domain.products import BillingInterval
from lootkeep.domain.subscriptions import Subscription, SubscriptionStatus
from lootkeep.views import orders, players
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.orders import OrderCustomerView, OrderView
from lootkeep.views.players import PlayerView


class SubscriptionProductView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the product.", 9)]
    name: Annotated[str, field("The name at the time of subscribing.", "VIP rank")]


class SubscriptionView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the subscription.", 5)]
    status: Annotated[SubscriptionStatus, field("The status of the subscription.", "active")]
    customer: OrderCustomerView
    product: SubscriptionProductView
    price: Annotated[str, field("The price per period; it does not change with the price of the product.", "9.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    interval: Annotated[BillingInterval, field("Unit of the period.", "month")]
    interval_count: Annotated[int, field("Units in a period.", 1)]
    current_period_start: Annotated[Moment, field("When the latest paid period starts.", "2026-11-15T10:30:00Z")]
    current_period_end: Annotated[Moment, field("When it ends and the next one starts.", "2026-12-15T10:30:00Z")]
    cancel_at_period_end: Annotated[bool, field("Whether it is cancelled at the end of its period.", False)]
    cancelled_at: Annotated[Moment | None, field("When it was cancelled.", None)]
    ends_at: Annotated[Moment | None, field("When it ends or ended.", None)]
    cancel_reason: Annotated[str | None, field("Why it was cancelled.", None)]
    renewals_count: Annotated[int, field("How often it was renewed.", 0)]
    latest_order_id: Annotated[int | None, field("The order that paid the latest period.", 123)]
    external_id: Annotated[str | None, field("The id of the subscription in the store's own system.", None)]
    player: Annotated[PlayerView | None, field("Extension: who gets it, if not the buyer.", None)]
    created_at: Time
    updated_at: Time


class PaidPeriodView(msgspec.Struct, frozen=True):
    subscription: SubscriptionView
    order: OrderView


class SubscriptionData(msgspec.Struct, frozen=True):
    """The data of `subscription.created`, and the common fields of the other subscription events."""

    subscription_id: Annotated[int, field("Identifies the subscription.", 5)]
    customer_email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]
    customer_name: Annotated[str, field("The customer's name.", "Jun Park")]
    product_id: Annotated[int, field("The product.", 9)]
    product_name: Annotated[str, field("The name at the time of subscribing.", "VIP rank")]
    price: Annotated[str, field("The price per period.", "9.99")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    interval: Annotated[BillingInterval, field("Unit of the period.", "month")]
    interval_count: Annotated[int, field("Units in a period.", 1)]
    status: Annotated[SubscriptionStatus, field("The subscription's status after the event.", "active")]
    current_period_start: Annotated[Moment, field("When the latest paid period starts.", "2026-11-15T10:30:00Z")]
    current_period_end: Annotated[Moment, field("When it ends and the next one starts.", "2026-12-15T10:30:00Z")]
    order_id: Annotated[int | None, field("The order that paid the latest period.", 123)]


class SubscriptionRenewedData(SubscriptionData, frozen=True):
    renewals_count: Annotated[int, field("How often it was renewed.", 1)]


class SubscriptionCancelledData(SubscriptionData, frozen=True):
    cancelled_at: Annotated[Moment | None, field("When it was cancelled.", "2026-11-20T09:00:00Z")]
    ends_at: Annotated[Moment | None, field("When it ends or ended.", "2026-12-15T10:30:00Z")]
    reason: Annotated[str | None, field("Why it was cancelled.", "Too expensive")]


_SUBSCRIPTION = view_of(SubscriptionView, Subscription, "customer", "product", "player")
_BUYER = ("customer_email", "customer_name")
_IDS = {"subscription_id": "id", "order_id": "latest_order_id"}
_CREATED = view_of(SubscriptionData, Subscription, *_BUYER, **_IDS)
_RENEWED = view_of(SubscriptionRenewedData, Subscription, *_BUYER, **_IDS)
_CANCELLED = view_of(SubscriptionCancelledData, Subscription, *_BUYER, reason="cancel_reason", **_IDS)


def subscription(record: Subscription, customer: Customer) -> SubscriptionView:
    return _SUBSCRIPTION(
        record,
        customer=OrderCustomerView(customer.id, customer.name, customer.email),
        product=SubscriptionProductView(record.product_id, record.product_name),
        player=players.player(record.player),
    )


def paid_period(record: Subscription, details: OrderDetails) -> PaidPeriodView:
    return PaidPeriodView(subscription(record, details.customer), orders.order(details))


def created(record: Subscription, customer: Customer) -> SubscriptionData:
    return _CREATED(record, customer_email=customer.email, customer_name=customer.name)


def renewed(record: Subscription, customer: Customer) -> SubscriptionRenewedData:
    return _RENEWED(record, customer_email=customer.email, customer_name=customer.name)


def cancelled(record: Subscription, customer: Customer) -> SubscriptionCancelledData:
    return _CANCELLED(record, customer_email=customer.email, customer_name=customer.name)
