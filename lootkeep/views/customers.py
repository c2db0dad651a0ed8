"""Customers in public, and how the Store API answers a sign-up."""

from __future__ import annotations

from typing import Annotated

import msgspec

from lootkeep.domain.coupons import Coupon
from lootkeep.domain.customers import Customer, CustomerStatus, MailboxStatus
from lootkeep.domain.referral_abuse import SENTENCES, RejectionReason
from lootkeep.domain.referrals import DiscountType
from lootkeep.domain.sign_up import SignedUp
from lootkeep.kernel.clock import utc
from lootkeep.kernel.money import average, text
from lootkeep.views import players as players_views
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.players import IdentityView
from lootkeep.views.referrals import CodeOwnerView


class CustomerView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the customer.", 31)]
    email: Annotated[str, field("Unique, lower case.", "jun@example.com")]
    name: Annotated[str, field("The customer's name.", "Jun Park")]
    username: Annotated[str | None, field("The name in the game.", "junp")]
    external_id: Annotated[str | None, field("The id of the customer in the store's own system.", None)]
    country: Annotated[str | None, field("ISO 3166-1 alpha-2.", "KR")]
    status: Annotated[CustomerStatus, field("A blocked customer cannot order.", "active")]
    status_reason: Annotated[str | None, field("Why the customer was blocked or unblocked.", None)]
    accepts_marketing: Annotated[bool, field("Whether the customer accepts campaigns.", True)]
    consent_given_at: Annotated[
        Moment | None, field("When consent to campaigns was last given.", "2026-11-15T10:30:00Z")
    ]
    consent_withdrawn_at: Annotated[Moment | None, field("When consent to campaigns was last withdrawn.", None)]
    email_status: Annotated[MailboxStatus, field("Whether e-mails arrive.", "ok")]
    referral_code: Annotated[str, field("The customer's own referral code.", "K7WQ2M9X")]
    referred_by: CodeOwnerView | None
    orders_count: Annotated[int, field("Paid orders that were not refunded in full.", 3)]
    total_spent: Annotated[str, field("In the store's currency, minus refunds.", "59.97")]
    average_order_value: Annotated[str, field("`total_spent` divided by `orders_count`.", "19.99")]
    first_order_at: Annotated[Moment | None, field("When the first order was paid.", None)]
    last_order_at: Annotated[Moment | None, field("When the latest order was paid.", None)]
    tags: Annotated[list[str], field("Tags of the customer.", [])]
    identities: Annotated[list[IdentityView], field("Extension: who they are in games.", [])]
    note: Annotated[str | None, field("For staff only.", None)]
    created_at: Time
    updated_at: Time
    erased_at: Annotated[Moment | None, field("When the personal data was erased.", None)]


class ChangedCustomerView(CustomerView, frozen=True):
    would_stop: Annotated[
        list[str] | None,
        field(
            "Extension: the signals and rules that would still stop the next order, if it is like the latest; null "
            "unless `status` was set to active.",
            None,
        ),
    ]


class CouponView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the coupon.", 7)]
    code: Annotated[str, field("What the customer types at checkout.", "HI-8KQ2WM7X")]
    discount_type: Annotated[DiscountType, field("The type of the discount.", "percentage")]
    value: Annotated[str, field("Percent, or an amount in `currency`.", "10.00")]
    currency: Annotated[str | None, field("Currency of a fixed discount.", None)]
    times_used: Annotated[int, field("0 or 1: a coupon is used once.", 0)]
    expires_at: Time


class AttributionView(msgspec.Struct, frozen=True):
    attributed: Annotated[bool, field("Whether the referral counts for the referrer.", True)]
    reason: Annotated[RejectionReason | None, field("Why not, as a stable code.", None)]
    explanation: Annotated[str | None, field("Why not, as a sentence.", None)]
    referrer: CodeOwnerView | None
    marks: Annotated[list[str], field("What looks suspicious but is not rejected.", [])]


class SignedUpView(msgspec.Struct, frozen=True):
    customer: CustomerView
    referral: AttributionView | None
    welcome_coupon: CouponView | None


def signed_up(result: SignedUp) -> SignedUpView:
    return SignedUpView(
        customer=customer(result.customer, result.referrer),
        referral=_attribution(result),
        welcome_coupon=coupon(result.welcome_coupon) if result.welcome_coupon else None,
    )


_CUSTOMER = view_of(CustomerView, Customer, "referred_by", "average_order_value", "identities")
_COUPON = view_of(CouponView, Coupon, "expires_at", times_used="uses_count")


def coupon(record: Coupon) -> CouponView:
    """A coupon of a referral, which always ends."""
    assert record.ends_at is not None
    return _COUPON(record, expires_at=utc(record.ends_at))


def customer(record: Customer, referrer: Customer | None) -> CustomerView:
    return _CUSTOMER(
        record,
        referred_by=_code_owner(referrer) if record.referred_by_id else None,
        average_order_value=text(average(record.total_spent, record.orders_count)),
        identities=[players_views.identity(player) for player in record.players],
    )


def changed(view: CustomerView, would_stop: list[str] | None) -> ChangedCustomerView:
    return ChangedCustomerView(
        **{name: getattr(view, name) for name in CustomerView.__struct_fields__}, would_stop=would_stop
    )


def _attribution(result: SignedUp) -> AttributionView | None:
    """The result of a referral code; None if there was none, or if it was reported before."""
    if not result.is_new or (result.referrer is None and result.rejection is None):
        return None
    return AttributionView(
        attributed=result.rejection is None,
        reason=result.rejection,
        explanation=SENTENCES[result.rejection] if result.rejection else None,
        referrer=_code_owner(result.referrer),
        marks=list(result.marks),
    )


def _code_owner(record: Customer | None) -> CodeOwnerView | None:
    return CodeOwnerView(record.id, record.name) if record else None
