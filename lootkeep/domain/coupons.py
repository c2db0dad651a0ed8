"""Coupons: for one customer, used once, within their validity, never below zero."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import asdict

from lootkeep.domain.referrals import DiscountType, ReferralSettings, Tier
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import AppError, invalid
from lootkeep.kernel.money import Hundredths

CouponStatus = Literal["available", "reserved", "used"]
Origin = Literal["tier", "welcome"]

WELCOME_VALIDITY_DAYS = 30
_WHOLE = 100_00

_FIELD = "coupon_code"


class CouponTerms(msgspec.Struct, frozen=True):
    """The terms of a coupon, fixed at creation."""

    origin: Origin
    discount_type: DiscountType
    value: Hundredths
    currency: str | None
    expires_at: Instant


class Coupon(CouponTerms, frozen=True):
    """A coupon and its use."""

    id: int
    code: str
    customer_id: int
    status: CouponStatus
    order_id: int | None
    discount_given: Hundredths
    created_at: Instant

    @property
    def times_used(self) -> int:
        return 1 if self.status == "used" else 0


def issued(terms: CouponTerms, code: str, customer_id: int, now: Instant) -> Coupon:
    """A new coupon; its id is assigned when it is stored."""
    unused: dict[str, Any] = {"status": "available", "order_id": None, "discount_given": Hundredths(0)}
    return Coupon(**asdict(terms), id=0, code=code, customer_id=customer_id, **unused, created_at=now)


def of_tier(tier: Tier, now: Instant) -> CouponTerms:
    """The tier's current reward and validity."""
    return CouponTerms(
        origin="tier",
        discount_type="percentage" if tier.reward_type == "percentage_discount" else "fixed",
        value=tier.reward_value,
        currency=tier.reward_currency,
        expires_at=Instant(now + tier.coupon_validity_days * DAY),
    )


def of_welcome(settings: ReferralSettings, currency: str, now: Instant) -> CouponTerms:
    is_fixed = settings.referral_welcome_discount_type == "fixed"
    return CouponTerms(
        origin="welcome",
        discount_type=settings.referral_welcome_discount_type,
        value=settings.referral_welcome_discount_value,
        currency=currency if is_fixed else None,
        expires_at=Instant(now + WELCOME_VALIDITY_DAYS * DAY),
    )


def check_coupon(coupon: Coupon | None, customer_id: int, currency: str, now: Instant) -> AppError | None:
    """Why this customer cannot use the coupon now; a coupon of another customer looks unknown."""
    if coupon is None or coupon.customer_id != customer_id:
        return invalid(_FIELD, "The coupon code field is not a coupon of this customer.")
    if coupon.status != "available":
        return invalid(_FIELD, "The coupon code field is a coupon that has already been used.")
    if coupon.expires_at <= now:
        return invalid(_FIELD, "The coupon code field is a coupon that has expired.")
    if coupon.currency not in (None, currency):
        return invalid(_FIELD, f"The coupon code field is a coupon in {coupon.currency}, not {currency}.")
    return None


def discount(terms: CouponTerms, subtotal: Hundredths) -> Hundredths:
    """The discount: halves are rounded up, and never more than the amount to pay."""
    if terms.discount_type == "fixed":
        return min(terms.value, subtotal)
    return Hundredths(min(subtotal, (subtotal * terms.value + _WHOLE // 2) // _WHOLE))
