"""Registration: what a storefront sends about a new customer, and the result."""

from __future__ import annotations

import msgspec

from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer
from lootkeep.domain.referral_abuse import RejectionReason
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths


class SignUp(msgspec.Struct, frozen=True):
    """What a storefront sends about a new customer."""

    email: str
    name: str
    username: str | None = None
    external_id: str | None = None
    referral_code: str | None = None
    country: str | None = None
    ip_address: str | None = None
    device_id: str | None = None
    accepts_marketing: bool = False
    # Only for imported history.
    created_at: Instant | None = None


class SignedUp(msgspec.Struct, frozen=True):
    """The customer, and the result of the referral code."""

    customer: Customer
    referrer: Customer | None = None
    rejection: RejectionReason | None = None
    marks: tuple[str, ...] = ()
    welcome_coupon: Coupon | None = None
    # False if the customer already existed, with the same external id and e-mail.
    is_new: bool = True


def new_customer(form: SignUp, referral_code: str, now: Instant) -> Customer:
    at = now if form.created_at is None else form.created_at
    return Customer(
        id=0,
        email=form.email.lower(),
        name=form.name,
        username=form.username,
        external_id=form.external_id,
        country=form.country,
        status="active",
        accepts_marketing=form.accepts_marketing,
        email_status="ok",
        referral_code=referral_code,
        referred_by_id=None,
        orders_count=0,
        total_spent=Hundredths(0),
        first_order_at=None,
        last_order_at=None,
        tags="[]",
        note=None,
        created_at=at,
        updated_at=at,
        consent_given_at=at if form.accepts_marketing else None,
    )
