"""Subscriptions: their periods, when the next period may be paid, and how they end."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import Literal

import msgspec

from lootkeep.domain.checkout import PricedLine
from lootkeep.domain.customers import Customer, require_not_erased
from lootkeep.domain.players import Game, Player, player_of
from lootkeep.domain.products import BillingInterval, Product
from lootkeep.kernel.clock import DAY, Instant, iso
from lootkeep.kernel.errors import Conflict, InvalidFields, Unprocessable, invalid
from lootkeep.kernel.money import Hundredths

SubscriptionStatus = Literal["active", "cancelled", "expired"]

# The earliest payment before a period ends: the longest month, so all months are alike.
MAX_LEAD = 31 * DAY

OUT_OF_STOCK = "is out of stock"

_EPOCH_DAY = date(1970, 1, 1).toordinal()
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}


class Subscription(msgspec.Struct, frozen=True):
    """A customer's subscription to a product, with the name and price at creation."""

    id: int
    customer_id: int
    product_id: int
    product_name: str
    status: SubscriptionStatus
    price: Hundredths
    currency: str
    interval: BillingInterval
    interval_count: int
    # The latest paid period: it may be in the future, and it may be over.
    current_period_start: Instant
    current_period_end: Instant
    cancel_at_period_end: bool
    cancelled_at: Instant | None
    ends_at: Instant | None
    cancel_reason: str | None
    renewals_count: int
    latest_order_id: int | None
    # The first period starts here, and all others are counted from it.
    created_at: Instant
    updated_at: Instant
    external_id: str | None = None
    # Who gets it, if not the buyer.
    player_game: Game | None = None
    player_id: str | None = None
    player_name: str | None = None

    @property
    def player(self) -> Player | None:
        return player_of(self.player_game, self.player_id, self.player_name)


def checked(customer: Customer | None, product: Product | None) -> tuple[Customer, Product]:
    """The customer and the product, or all reasons why they cannot subscribe."""
    errors: dict[str, list[str]] = {}
    if customer is None:
        errors["customer_id"] = ["The customer id field is not a customer of this store."]
    if rejection := _rejection(product):
        errors["product_id"] = [f"The product id field {rejection}."]
    if errors:
        raise InvalidFields(errors)
    assert customer is not None
    assert product is not None
    require_buyer(customer)
    return customer, product


def require_buyer(customer: Customer) -> None:
    require_not_erased(customer)
    if customer.status == "blocked":
        raise Unprocessable("customer_blocked", "This customer is blocked and cannot subscribe.")


def started(
    customer: Customer, product: Product, now: Instant, external_id: str | None = None, player: Player | None = None
) -> Subscription:
    """The subscription in its first period. Its id is not known yet."""
    assert product.billing_interval is not None
    assert product.billing_interval_count is not None
    return Subscription(
        id=0,
        customer_id=customer.id,
        product_id=product.id,
        product_name=product.name,
        status="active",
        price=product.price,
        currency=product.currency,
        interval=product.billing_interval,
        interval_count=product.billing_interval_count,
        current_period_start=now,
        current_period_end=period_start(now, product.billing_interval, product.billing_interval_count, 1),
        cancel_at_period_end=False,
        cancelled_at=None,
        ends_at=None,
        cancel_reason=None,
        renewals_count=0,
        latest_order_id=None,
        created_at=now,
        updated_at=now,
        external_id=external_id,
        **(player.columns if player else {}),
    )


class PastTerms(msgspec.Struct, frozen=True):
    """The data of an imported subscription; the rest comes from the product."""

    created_at: Instant
    status: SubscriptionStatus = "active"
    price: Hundredths | None = None
    currency: str | None = None
    interval: BillingInterval | None = None
    interval_count: int | None = None
    current_period_end: Instant | None = None
    cancelled_at: Instant | None = None
    cancel_reason: str | None = None


def of_the_past(customer: Customer, product: Product, terms: PastTerms, now: Instant) -> Subscription:
    """The current state of the subscription, in its paid period; its id is not known yet."""
    if product.billing_type != "recurring":
        raise invalid("product_id", "The product id field is not a product with recurring billing.")
    if terms.price is None and terms.currency not in (None, product.currency):
        raise invalid("price", f"The price field is required: the product is sold in {product.currency} now.")
    own = {name: getattr(terms, name) for name in ("price", "currency", "interval", "interval_count")}
    begun = msgspec.structs.replace(
        started(customer, product, terms.created_at),
        **{name: value for name, value in own.items() if value is not None},
        updated_at=now,
    )
    return _ended_as(_in_period(begun, terms, now), terms, now)


def _in_period(begun: Subscription, terms: PastTerms, now: Instant) -> Subscription:
    """The period that ends at the given time, or else the latest one."""
    rhythm = begun.created_at, begun.interval, begun.interval_count
    until = terms.current_period_end
    if until is None:
        until = Instant((now if terms.cancelled_at is None else terms.cancelled_at) + 1)
    number = 0
    while period_start(*rhythm, number + 1) < until:
        number += 1
    end = period_start(*rhythm, number + 1)
    if terms.current_period_end not in (None, end):
        raise invalid(
            "current_period_end",
            f"The current period end field must be a whole number of periods after created at, such as {iso(end)}.",
        )
    return msgspec.structs.replace(
        begun, current_period_start=period_start(*rhythm, number), current_period_end=end, renewals_count=number
    )


def _ended_as(subscription: Subscription, terms: PastTerms, now: Instant) -> Subscription:
    asked = terms.cancelled_at
    if asked is not None and not subscription.created_at <= asked <= now:
        raise invalid("cancelled_at", "The cancelled at field must be after created at and not in the future.")
    if terms.status == "active" and asked is None:
        return subscription
    if asked is None:
        raise invalid("cancelled_at", "The cancelled at field is required unless the subscription is active.")
    is_at_once = terms.status == "cancelled"
    ended = cancelled(subscription, asked, at_period_end=not is_at_once, reason=terms.cancel_reason)
    status = "active" if terms.status == "active" and ended.current_period_end > now else terms.status
    return msgspec.structs.replace(ended, status=status, updated_at=now)


def line(subscription: Subscription, product: Product) -> PricedLine:
    """The order of a period: the subscription's own name and price, delivered as the product is now."""
    return PricedLine(
        product_id=product.id,
        product_name=subscription.product_name,
        sku=product.sku,
        delivery_type=product.delivery_type,
        quantity=1,
        price=subscription.price,
        total=subscription.price,
    )


def due_at(subscription: Subscription, last_paid_at: Instant) -> Instant:
    """When the next period may be paid; always, once the current one is over.

    It can be paid in advance only during the current period. Half a period must be between two renewals; otherwise, of
    two calls just before and just after the end of a period, the second would pay for one more period.
    """
    start, end = subscription.current_period_start, subscription.current_period_end
    due = max(start, end - MAX_LEAD)
    if subscription.renewals_count:
        due = max(due, last_paid_at + (end - start) // 2)
    return Instant(min(due, end))


def require_renewable(subscription: Subscription, last_paid_at: Instant, now: Instant) -> None:
    """Rejects a renewal of a subscription that was cancelled, has ended or is not due."""
    if subscription.status != "active":
        raise ended(subscription)
    if subscription.cancel_at_period_end:
        raise Conflict(
            "subscription_ending",
            f"Subscription {subscription.id} was cancelled, ends at {iso(subscription.current_period_end)} "
            "and cannot be renewed.",
        )
    due = due_at(subscription, last_paid_at)
    if now < due:
        raise Conflict(
            "subscription_not_due",
            f"Subscription {subscription.id} is paid until {iso(subscription.current_period_end)} "
            f"and can be renewed from {iso(due)} on.",
        )


def renewed(subscription: Subscription, now: Instant) -> Subscription:
    """The subscription in its next period, which follows the current one without a gap, even if it is paid late."""
    number = subscription.renewals_count + 1
    first, interval, count = subscription.created_at, subscription.interval, subscription.interval_count
    return msgspec.structs.replace(
        subscription,
        current_period_start=subscription.current_period_end,
        current_period_end=period_start(first, interval, count, number + 1),
        renewals_count=number,
        updated_at=now,
    )


def cancelled(subscription: Subscription, now: Instant, *, at_period_end: bool, reason: str | None) -> Subscription:
    """The subscription after cancelling: it continues until the end of the paid period, or ends now."""
    updated = msgspec.structs.replace(subscription, cancelled_at=now, cancel_reason=reason, updated_at=now)
    if at_period_end and now < subscription.current_period_end:
        return msgspec.structs.replace(updated, cancel_at_period_end=True, ends_at=subscription.current_period_end)
    return msgspec.structs.replace(updated, status="cancelled", ends_at=now)


def has_run_out(subscription: Subscription, now: Instant) -> bool:
    """It was cancelled at the end of its period, and the period is over."""
    is_ending = subscription.status == "active" and subscription.cancel_at_period_end
    return is_ending and now >= subscription.current_period_end


def expired(subscription: Subscription, now: Instant) -> Subscription:
    return msgspec.structs.replace(subscription, status="expired", updated_at=now)


def ended(subscription: Subscription) -> Conflict:
    """Why no more periods can be paid."""
    assert subscription.ends_at is not None
    return Conflict(
        f"subscription_{subscription.status}",
        f"Subscription {subscription.id} was cancelled, ended at {iso(subscription.ends_at)} and cannot be renewed.",
    )


def period_start(first: Instant, interval: BillingInterval, count: int, number: int) -> Instant:
    """When period `number` starts, counted from 0, which is also the end of the previous one.

    Always computed from the first: from 31 January to the end of February, and back to 31 March.
    """
    if interval in _DAYS:
        return Instant(first + number * count * _DAYS[interval] * DAY)
    return _months_after(first, number * count * _MONTHS[interval])


def _months_after(first: Instant, months: int) -> Instant:
    days, time_of_day = divmod(first, DAY)
    day = date.fromordinal(_EPOCH_DAY + days)
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last_day = monthrange(year, month + 1)[1]
    reached = date(year, month + 1, min(day.day, last_day))
    return Instant((reached.toordinal() - _EPOCH_DAY) * DAY + time_of_day)


def _rejection(product: Product | None) -> str | None:
    if product is None:
        return "is not a product of this store"
    if product.status != "active":
        return "is currently not for sale"
    if product.billing_type != "recurring":
        return "is not a product with recurring billing"
    return None
