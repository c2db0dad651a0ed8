"""Coupons in public."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec

from lootkeep.domain import coupons as coupons_rules
from lootkeep.domain.coupon_uses import CouponUse, UseState
from lootkeep.domain.coupons import Coupon, CouponRejection, CouponState
from lootkeep.domain.orders import CouponOrigin, Order
from lootkeep.domain.referrals import DiscountType
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths, text
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of


class CouponDetailsView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the coupon.", 3)]
    code: Annotated[str, field("What buyers type at checkout.", "SUMMER-26")]
    origin: Annotated[CouponOrigin, field("Who made it: a tier, a welcome, the owner or a creator.", "owner")]
    state: Annotated[CouponState, field("Whether it can be used now; reservations count as uses.", "active")]
    discount_type: Annotated[DiscountType, field("The type of the discount.", "percentage")]
    discount_value: Annotated[str, field("Percent, or an amount in `currency`.", "20.00")]
    currency: Annotated[str | None, field("The currency of a fixed discount.", None)]
    product_ids: Annotated[list[int], field("The products it discounts.", [])]
    categories: Annotated[list[str], field("The categories it discounts.", ["Ranks"])]
    min_total: Annotated[str | None, field("The lowest subtotal of an order.", "10.00")]
    first_order_only: Annotated[bool, field("Whether it is for customers without a paid order.", False)]
    max_uses: Annotated[int | None, field("How often it can be used; null: without a limit.", 500)]
    max_uses_per_customer: Annotated[int | None, field("The same for each customer.", 1)]
    starts_at: Annotated[Moment | None, field("Valid from.", None)]
    ends_at: Annotated[Moment | None, field("Valid until.", "2026-11-30T23:00:00Z")]
    is_active: Annotated[bool, field("Whether it is switched on.", True)]
    note: Annotated[str | None, field("For staff only.", None)]
    batch: Annotated[str | None, field("Those that were generated together.", None)]
    customer_id: Annotated[int | None, field("The only customer who can use it: a coupon of a referral.", None)]
    uses_count: Annotated[int, field("Paid orders with it.", 12)]
    reserved_count: Annotated[int, field("Orders with it that wait for their payment.", 1)]
    created_at: Time
    updated_at: Time


class GeneratedCouponsView(msgspec.Struct, frozen=True):
    created: Annotated[int, field("How many were made.", 500)]
    batch: Annotated[str, field("Their name in `GET /coupons?batch=`.", "K7WQ2M9X")]


class CouponUseView(msgspec.Struct, frozen=True):
    order_id: Annotated[int, field("The order.", 42)]
    customer_id: Annotated[int, field("Who ordered.", 31)]
    discount: Annotated[str, field("What it took off.", "4.00")]
    state: Annotated[UseState, field("`reserved` until the order is paid.", "used")]
    created_at: Time


class CouponPreviewView(msgspec.Struct, frozen=True):
    valid: Annotated[bool, field("Whether an order with it would be accepted.", True)]
    reason: Annotated[CouponRejection | None, field("Why not, as a stable code.", None)]
    discount_total: Annotated[str, field("What it takes off.", "4.00")]
    total: Annotated[str, field("What is left to pay.", "15.99")]


class CouponUsedData(msgspec.Struct, frozen=True):
    """The data of `coupon.used`."""

    coupon_id: Annotated[int, field("Identifies the coupon.", 3)]
    coupon_code: Annotated[str, field("What the buyer typed at checkout.", "SUMMER-26")]
    discount: Annotated[str, field("What it took off.", "4.00")]
    currency: Annotated[str, field("ISO 4217.", "USD")]
    order_id: Annotated[int, field("The order that was paid.", 123)]
    order_number: Annotated[str, field("What customers see.", "ORD-000123")]
    customer_id: Annotated[int, field("The customer.", 31)]


_COUPON = view_of(CouponDetailsView, Coupon, "state", "product_ids")
use: Callable[[CouponUse], CouponUseView] = view_of(CouponUseView, CouponUse)


def used(order: Order) -> CouponUsedData:
    assert order.coupon_id is not None
    code, discount = order.coupon_code or "", text(order.discount_total)
    return CouponUsedData(order.coupon_id, code, discount, order.currency, order.id, order.number, order.customer_id)


def coupon(record: Coupon, now: Instant) -> CouponDetailsView:
    product_ids = msgspec.json.decode(record.product_ids, type=list[int])
    return _COUPON(record, state=coupons_rules.state(record, now), product_ids=product_ids)


def preview(reason: CouponRejection | None, discount: Hundredths, total: Hundredths) -> CouponPreviewView:
    return CouponPreviewView(reason is None, reason, text(discount), text(total))
