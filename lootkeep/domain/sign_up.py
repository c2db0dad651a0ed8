"""Registration: what a storefront sends about a new customer, and the result."""

from __future__ import annotations

import msgspec

from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer
from lootkeep.domain.referral_abuse import RejectionReason
from lootkeep.kernel.clock import Instant


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
