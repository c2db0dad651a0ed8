"""Orders: their states, the steps between them, and their totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from lootkeep.domain.addresses import network_key
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud.facts import STORED_WITH_ORDERS, UNKNOWN, Funding, Payment, ThreeDSecure
from lootkeep.domain.fraud.score import Action, RiskLevel
from lootkeep.domain.order_items import OrderItem
from lootkeep.domain.players import Game, Player, player_of
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Conflict, invalid
from lootkeep.kernel.money import Hundredths

CouponOrigin = Literal["tier", "welcome", "owner", "creator"]
OrderStatus = Literal["pending", "on_hold", "paid", "completed", "partially_refunded", "refunded", "cancelled"]
# The possible final states of an imported order.
PastStatus = Literal["paid", "completed", "partially_refunded", "refunded", "cancelled"]
OrderStep = Literal["pay", "cancel", "refund", "fulfill", "release"]
RefundReason = Literal["fraud"]
# What a checkout must do about an order.
CheckoutStep = Literal["pay", "wait_for_review", "verify", "refused", "refund"]

# The limits of one order, and of one delivery.
MAX_LINES = 100
MAX_QUANTITY = 100_000

# From which states each step is allowed; anything else is a conflict.
ALLOWED: dict[OrderStep, tuple[OrderStatus, ...]] = {
    "pay": ("pending",),
    "cancel": ("pending", "on_hold"),
    "release": ("on_hold",),
    "fulfill": ("paid", "partially_refunded"),
    "refund": ("paid", "completed", "partially_refunded"),
}

# The money of a held order is real: it is handed over or given back.
_ALLOWED_WHILE_HELD: tuple[OrderStep, ...] = ("release", "refund")

# Paid and not refunded in full: these make a referral successful.
STANDING: tuple[OrderStatus, ...] = ("paid", "completed", "partially_refunded")

# Something is still to be paid or delivered.
OPEN: tuple[OrderStatus, ...] = ("pending", "on_hold", "paid", "partially_refunded")

# Products that an imported order delivered with its payment, unless its file says otherwise.
AUTOMATIC_DELIVERY = ("keys", "file", "gift_card")

# The payment method of an order that a gift card pays in full.
BY_GIFT_CARD = "gift_card"

# The cancel reason of an order that fraud detection or a reviewer stopped.
FRAUD = "fraud"

_STEP_RESULTS: dict[OrderStep, str] = {
    "pay": "paid",
    "cancel": "cancelled",
    "release": "released",
    "fulfill": "fulfilled",
    "refund": "refunded",
}


class Order(msgspec.Struct, frozen=True):
    """An order without its lines."""

    id: int
    customer_id: int
    status: OrderStatus
    subtotal: Hundredths
    discount_total: Hundredths
    total: Hundredths
    gift_card_total: Hundredths
    refunded_total: Hundredths
    currency: str
    coupon_id: int | None
    coupon_code: str | None
    referral_code: str | None
    subscription_id: int | None
    payment_method: str | None
    transaction_id: str | None
    ip_address: str | None
    billing_country: str | None
    user_agent: str | None
    device_id: str | None
    cancel_reason: str | None
    external_id: str | None
    metadata: str
    created_at: Instant
    updated_at: Instant
    paid_at: Instant | None = None
    completed_at: Instant | None = None
    cancelled_at: Instant | None = None
    refunded_at: Instant | None = None
    # Copied from the fraud check.
    risk_level: str | None = None
    fulfillment_note: str | None = None
    # When the money of an order arrived that is on hold: it counts as paid from its release on.
    payment_held_at: Instant | None = None
    # Part of the link to the buyer's page: another number makes another link.
    page_version: int = 0
    # Who gets it, if not the buyer.
    player_game: Game | None = None
    player_id: str | None = None
    player_name: str | None = None
    # Copied from the coupon: what a payment does with it.
    coupon_origin: CouponOrigin | None = None
    # What is known of the payment method, and the provider's second id of the payment.
    payment_instrument: str | None = None
    payment_bin: str | None = None
    payment_country: str | None = None
    payment_funding: Funding | None = None
    payment_three_d_secure: ThreeDSecure | None = None
    charge_id: str | None = None
    # As the checkout reports it: part of the total. The rate is in per cent.
    tax_total: Hundredths | None = None
    tax_rate: str | None = None
    tax_country: str | None = None
    # Copied from the fraud check.
    ip_country: str | None = None

    def tax_in(self, amount: int) -> Hundredths:
        """The tax in a part of the total, in proportion; halves are rounded up."""
        whole = max(1, self.total)
        return Hundredths((2 * (self.tax_total or 0) * amount + whole) // (2 * whole))

    @property
    def tax_left(self) -> Hundredths:
        """After its refunds."""
        return Hundredths((self.tax_total or 0) - self.tax_in(self.refunded_total))

    @property
    def payment(self) -> Payment:
        return Payment(**{name: getattr(self, f"payment_{name}") for name in STORED_WITH_ORDERS})

    @property
    def player(self) -> Player | None:
        return player_of(self.player_game, self.player_id, self.player_name)

    @property
    def number(self) -> str:
        return order_number(self.id)

    @property
    def ip_network(self) -> str | None:
        return None if self.ip_address is None else network_key(self.ip_address)

    @property
    def money_total(self) -> Hundredths:
        """The part not paid by a gift card, which is a payment method and not a discount."""
        return Hundredths(self.total - self.gift_card_total)

    @property
    def amount_due(self) -> Hundredths:
        """What is left to pay: nothing once the order is paid or cancelled."""
        return self.money_total if self.status in ("pending", "on_hold") and not self.received_at else Hundredths(0)

    @property
    def received_at(self) -> Instant | None:
        return self.payment_held_at if self.paid_at is None else self.paid_at

    @property
    def refundable(self) -> Hundredths:
        return Hundredths(self.total - self.refunded_total)


class Refund(msgspec.Struct, frozen=True):
    id: int
    order_id: int
    amount: Hundredths
    reason: str | None
    created_at: Instant
    # Whether it was refunded because of fraud.
    reason_code: RefundReason | None = None
    # The order's tax in it.
    tax: Hundredths = Hundredths(0)


class OrderCheck(msgspec.Struct, frozen=True):
    """The summary of an order's fraud check."""

    id: int
    risk_score: int
    risk_level: RiskLevel
    action_taken: Action
    is_reviewed: bool
    # JSON: points by signal name.
    signals: str
    review_outcome: str | None = None


class RefundSplit(msgspec.Struct, frozen=True):
    """Where a refund goes: to the payment method, and to the gift card."""

    payment: Hundredths
    gift_card: Hundredths
    # The part for a gift card that was revoked since, and so was not returned.
    unreturned: Hundredths = Hundredths(0)
    # The part refunded for gift cards bought in the order although it was already spent.
    unrecovered: Hundredths = Hundredths(0)


class OrderDetails(msgspec.Struct, frozen=True):
    """An order with its lines and its customer: what a response or an event shows."""

    order: Order
    items: Sequence[OrderItem]
    customer: Customer
    check: OrderCheck | None

    @property
    def is_delivered(self) -> bool:
        return all(line.fulfilled_quantity == line.quantity for line in self.items)

    def counted_in(self, currency: str, amount: Hundredths) -> Hundredths:
        """The amount that counts towards the customer's total, which is maintained only in the store's currency."""
        return amount if self.order.currency == currency else Hundredths(0)


def order_number(order_id: int) -> str:
    return f"ORD-{order_id:06d}"


def is_fulfilled(order: Order) -> bool:
    """Whether everything was delivered; an order that was refunded in part since then still is."""
    return order.status == "completed" or (order.status == "partially_refunded" and order.completed_at is not None)


def steps(order: Order) -> set[OrderStep]:
    """The steps that change the order in its state."""
    allowed = {step for step in ALLOWED if allows(order, step)}
    return allowed - {"fulfill"} if is_fulfilled(order) else allowed


def allows(order: Order, step: OrderStep) -> bool:
    return order.status in ALLOWED[step] if order.payment_held_at is None else step in _ALLOWED_WHILE_HELD


def require(order: Order, step: OrderStep) -> None:
    """Rejects a step that the order's state does not allow."""
    if not allows(order, step):
        state = as_text(order.status) if order.payment_held_at is None else "paid and held for review,"
        raise Conflict(f"order_{order.status}", f"Order {order.number} is {state} and cannot be {_STEP_RESULTS[step]}.")


def check_reported(order: Order, at: Instant | None, now: Instant) -> Instant:
    """The time of something reported later about an order: not before the order, and not in the future."""
    if at is not None and at > now:
        raise invalid("at", "The at field must not be in the future.")
    if at is not None and at < order.created_at:
        raise invalid("at", "The at field must not be before the order was placed.")
    return now if at is None else at


def next_step(order: Order, check: OrderCheck | None) -> CheckoutStep | None:
    """What the checkout must do now; None if the order is paid."""
    match order.status:
        case "pending":
            return "pay"
        case "on_hold" if order.payment_held_at is not None:
            return "refund" if check and check.review_outcome == FRAUD else "wait_for_review"
        case "on_hold":
            # After a review, the customer can do nothing more.
            return "verify" if check and not check.is_reviewed else "wait_for_review"
        case "cancelled":
            return "refused"
        case _:
            return None


def judged(order: Order, action: str, now: Instant) -> Order:
    """The order after fraud detection: cancelled, on hold until a review, or unchanged."""
    if action == "blocked":
        # It keeps the code of its coupon, and does not hold it.
        return msgspec.structs.replace(order, status="cancelled", cancel_reason=FRAUD, cancelled_at=now, coupon_id=None)
    if action == "verification_required":
        return msgspec.structs.replace(order, status="on_hold")
    return order


def paid(
    order: Order,
    at: Instant,
    method: str | None,
    transaction_id: str | None,
    now: Instant,
    payment: Payment = UNKNOWN,
) -> Order:
    """The order after its payment."""
    paid_with = {"payment_method": method, "transaction_id": transaction_id, **payment.columns}
    return msgspec.structs.replace(order, status="paid", paid_at=at, updated_at=now, **paid_with)


def as_text(status: OrderStatus) -> str:
    return status.replace("_", " ")
