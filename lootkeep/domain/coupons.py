"""Coupons: who can use them, when, on what, how often, and what they take off; never below zero."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from lootkeep.domain.codes import require_whole, rounded_share
from lootkeep.domain.customers import Customer
from lootkeep.domain.orders import CouponOrigin
from lootkeep.domain.products import Product
from lootkeep.domain.referrals import WHOLE_PERCENTAGE, DiscountType, ReferralSettings, Tier
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.search import search_text

CouponState = Literal["scheduled", "active", "used_up", "expired", "inactive"]
CouponRejection = Literal[
    "unknown",
    "not_yours",
    "scheduled",
    "expired",
    "inactive",
    "used_up",
    "used_by_customer",
    "not_first_order",
    "below_minimum",
    "no_product",
    "currency",
]

WELCOME_VALIDITY_DAYS = 30
MAX_GENERATED = 10_000
MAX_PREFIX_LENGTH = 20
MAX_PRODUCTS = 100
MAX_CATEGORIES = 20
MAX_NOTE_LENGTH = 2000
_CODE = re.compile(r"[A-Z0-9_-]{4,40}")
_PREFIX = re.compile(rf"[A-Z0-9_-]{{0,{MAX_PREFIX_LENGTH}}}")
# What can change after the first use, and for coupons of referrals and creators.
_LIMITS = {"max_uses", "max_uses_per_customer"}
_CHANGEABLE = {"starts_at", "ends_at", "is_active", "note"}

_SENTENCES: dict[CouponRejection, str] = {
    "unknown": "is not a coupon of this customer",
    "not_yours": "is not a coupon of this customer",
    "scheduled": "is a coupon that is not valid yet",
    "expired": "is a coupon that has expired",
    "inactive": "is a coupon that is switched off",
    "used_up": "is a coupon that has been used as often as it can be",
    "used_by_customer": "is a coupon that this customer has used as often as a customer can",
    "not_first_order": "is a coupon for the first order only",
    "below_minimum": "is a coupon for a larger order",
    "no_product": "is a coupon for other products",
}

T = TypeVar("T", bound="CouponTerms")


class CouponTerms(msgspec.Struct, frozen=True):
    """What the owner of the store decides about a coupon."""

    discount_type: DiscountType
    value: Hundredths
    currency: str | None
    # JSON arrays.
    product_ids: str
    categories: str
    min_total: Hundredths | None
    first_order_only: bool
    max_uses: int | None
    max_uses_per_customer: int | None
    starts_at: Instant | None
    ends_at: Instant | None
    is_active: bool
    note: str | None


# A coupon of a referral: used once, on anything.
SINGLE_USE = CouponTerms(
    discount_type="percentage",
    value=Hundredths(0),
    currency=None,
    product_ids="[]",
    categories="[]",
    min_total=None,
    first_order_only=False,
    max_uses=1,
    max_uses_per_customer=None,
    starts_at=None,
    ends_at=None,
    is_active=True,
    note=None,
)


class Coupon(CouponTerms, frozen=True):
    """A coupon and how often it was used."""

    id: int
    code: str
    origin: CouponOrigin
    customer_id: int | None
    batch: str | None
    uses_count: int
    # By orders that wait for their payment.
    reserved_count: int
    # What lists filter by: as `state` says, and updated when time changes it.
    stored_state: CouponState
    created_at: Instant
    updated_at: Instant

    @property
    def taken_count(self) -> int:
        """What the limit counts."""
        return self.uses_count + self.reserved_count

    @property
    def discount_value(self) -> Hundredths:
        return self.value

    @property
    def next_state_at(self) -> Instant | None:
        """When time changes the state."""
        if self.stored_state == "scheduled":
            return self.starts_at
        return None if self.stored_state == "expired" else self.ends_at

    @property
    def search_text(self) -> str:
        return search_text(self.code, self.note)


class Basket(msgspec.Struct, frozen=True):
    """What a coupon looks at: the whole order, and the lines that it discounts."""

    currency: str
    subtotal: Hundredths
    discounted: Hundredths
    has_match: bool


class AppliedCoupon(msgspec.Struct, frozen=True):
    coupon: Coupon
    discount: Hundredths


def issued(
    terms: CouponTerms,
    origin: CouponOrigin,
    code: str,
    now: Instant,
    *,
    customer_id: int | None = None,
    batch: str | None = None,
) -> Coupon:
    """A new coupon; its id is assigned when it is stored."""
    unused: dict[str, Any] = {"uses_count": 0, "reserved_count": 0, "stored_state": "active", "created_at": now}
    new = Coupon(
        **asdict(terms), id=0, code=code, origin=origin, customer_id=customer_id, batch=batch, **unused, updated_at=now
    )
    return changed(new, now)


def changed(coupon: Coupon, now: Instant) -> Coupon:
    """With its current state."""
    return replace(coupon, stored_state=state(coupon, now), updated_at=now)


def of_tier(tier: Tier, now: Instant) -> CouponTerms:
    """The tier's current reward and validity."""
    return replace(
        SINGLE_USE,
        discount_type="percentage" if tier.reward_type == "percentage_discount" else "fixed",
        value=tier.reward_value,
        currency=tier.reward_currency,
        ends_at=Instant(now + tier.coupon_validity_days * DAY),
    )


def of_welcome(settings: ReferralSettings, currency: str, now: Instant) -> CouponTerms:
    return replace(
        SINGLE_USE,
        discount_type=settings.referral_welcome_discount_type,
        value=settings.referral_welcome_discount_value,
        currency=currency if settings.referral_welcome_discount_type == "fixed" else None,
        ends_at=Instant(now + WELCOME_VALIDITY_DAYS * DAY),
    )


def settled(terms: T, store_currency: str) -> T:
    """The terms with their currency; rejects what makes no sense together."""
    if terms.starts_at is not None and terms.ends_at is not None and terms.starts_at >= terms.ends_at:
        raise invalid("ends_at", "The ends at field must be after starts at.")
    if terms.discount_type == "fixed":
        require_whole(terms.currency or store_currency, discount_value=terms.value)
        return replace(terms, currency=terms.currency or store_currency)
    if terms.value > WHOLE_PERCENTAGE:
        raise invalid("discount_value", "The discount value field must not be greater than 100 for a percentage.")
    return replace(terms, currency=None)


def checked_code(code: str) -> str:
    """A plain code; the sentence says what it may look like."""
    if not _CODE.fullmatch(code):
        raise invalid("code", "The code field must have 4 to 40 letters, digits, hyphens and underscores.")
    return code


def checked_prefix(prefix: str) -> str:
    if not _PREFIX.fullmatch(prefix):
        allowed = f"at most {MAX_PREFIX_LENGTH} letters, digits, hyphens and underscores"
        raise invalid("prefix", f"The prefix field must have {allowed}.")
    return prefix


def require_changeable(before: Coupon, after: Coupon) -> None:
    """Buyers keep what they were promised."""
    changed = {name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)}
    if before.origin != "owner" and changed - _CHANGEABLE:
        raise Conflict(
            "coupon_not_own",
            "This coupon belongs to a referral or a creator. Only its dates, note and whether it is active can change.",
        )
    if before.customer_id is not None and after.ends_at is None:
        raise invalid("ends_at", "The ends at field must be a time: a coupon of a referral always ends.")
    if before.taken_count and changed - _CHANGEABLE - _LIMITS:
        raise Conflict(
            "coupon_used",
            "This coupon was used. Only its limits, its dates, its note and whether it is active can change.",
        )
    if after.max_uses is not None and after.max_uses < after.taken_count:
        raise invalid("max_uses", f"The max uses field must be at least {after.taken_count}: it is used that often.")


def require_deletable(coupon: Coupon) -> None:
    if coupon.origin != "owner" or coupon.taken_count:
        why = "was used or is reserved by an order" if coupon.taken_count else "belongs to a referral or a creator"
        raise Conflict("coupon_used", f"This coupon {why} and cannot be deleted. Deactivate it instead.")


def state(coupon: Coupon, now: Instant) -> CouponState:
    if coupon.starts_at is not None and now < coupon.starts_at:
        return "scheduled"
    if coupon.ends_at is not None and coupon.ends_at <= now:
        return "expired"
    if not coupon.is_active:
        return "inactive"
    is_used_up = coupon.max_uses is not None and coupon.taken_count >= coupon.max_uses
    return "used_up" if is_used_up else "active"


def matches(terms: CouponTerms, product: Product) -> bool:
    """Whether it discounts the product: named by its id or its category, or nothing is named."""
    product_ids, categories = msgspec.json.decode(terms.product_ids), msgspec.json.decode(terms.categories)
    return product.id in product_ids or product.category in categories or not (product_ids or categories)


def rejection(
    coupon: Coupon, customer: Customer | None, own_uses: int, basket: Basket, now: Instant, *, has_first: bool = False
) -> CouponRejection | None:
    """Why it cannot be used now; `has_first` says that an order of the customer has a coupon for the first order."""
    if coupon.customer_id is not None and (customer is None or customer.id != coupon.customer_id):
        return "not_yours"
    current = state(coupon, now)
    if current != "active":
        return current
    if coupon.max_uses_per_customer is not None and own_uses >= coupon.max_uses_per_customer:
        return "used_by_customer"
    if coupon.first_order_only and (has_first or (customer and customer.first_order_at is not None)):
        return "not_first_order"
    if coupon.min_total is not None and basket.subtotal < coupon.min_total:
        return "below_minimum"
    # A code of a creator may take nothing off.
    if coupon.value and not basket.has_match:
        return "no_product"
    return None if coupon.currency in (None, basket.currency) else "currency"


def rejected(reason: CouponRejection, coupon: Coupon | None, currency: str) -> InvalidFields:
    """The error for a checkout; a coupon of another customer reads as an unknown one."""
    sentence = _SENTENCES.get(reason, "")
    if reason == "currency" and coupon:
        sentence = f"is a coupon in {coupon.currency}, not {currency}"
    elif reason == "used_up" and coupon and coupon.max_uses == 1:
        sentence = "is a coupon that has already been used"
    elif reason == "no_product" and coupon and coupon.product_ids == coupon.categories == "[]":
        sentence = "cannot be used here: gift cards are not discounted"
    return invalid("coupon_code", f"The coupon code field {sentence}.", f"coupon_{reason}")


def discount(terms: CouponTerms, discounted: Hundredths, currency: str) -> Hundredths:
    """What it takes off these lines: rounded to what can be paid in the currency, and never more than they cost."""
    if terms.discount_type == "fixed":
        return min(terms.value, discounted)
    return min(discounted, rounded_share(discounted, terms.value, WHOLE_PERCENTAGE, currency))
