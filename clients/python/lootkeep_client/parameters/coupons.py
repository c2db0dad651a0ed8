"""What the methods of `coupons` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict

from lootkeep_client import types


class ListCoupons(TypedDict, total=False):
    """List coupons."""

    page: int
    per_page: int
    from_: str
    to: str
    search: str
    order: types.SortDirection
    state: types.CouponState
    origin: types.CouponOrigin
    batch: str
    sort: Literal["id", "created_at", "uses_count"]


class CreateCoupon(TypedDict, total=False):
    """Create a coupon."""

    discount_type: Required[types.DiscountType]
    discount_value: Required[str | float]
    currency: str | None
    product_ids: Sequence[int]
    categories: Sequence[str]
    min_total: str | float | None
    first_order_only: bool
    max_uses: int | None
    max_uses_per_customer: int | None
    starts_at: str | None
    ends_at: str | None
    is_active: bool
    note: str | None
    code: str | None


class GenerateCoupons(TypedDict, total=False):
    """Generate coupons."""

    discount_type: Required[types.DiscountType]
    discount_value: Required[str | float]
    currency: str | None
    product_ids: Sequence[int]
    categories: Sequence[str]
    min_total: str | float | None
    first_order_only: bool
    max_uses: int | None
    max_uses_per_customer: int | None
    starts_at: str | None
    ends_at: str | None
    is_active: bool
    note: str | None
    count: Required[int]
    prefix: str


class UpdateCoupon(TypedDict, total=False):
    """Update a coupon."""

    discount_type: types.DiscountType
    discount_value: str | float
    currency: str | None
    product_ids: Sequence[int]
    categories: Sequence[str]
    min_total: str | float | None
    first_order_only: bool
    max_uses: int | None
    max_uses_per_customer: int | None
    starts_at: str | None
    ends_at: str | None
    is_active: bool
    note: str | None
    code: str | None


class ListCouponUses(TypedDict, total=False):
    """List the uses of a coupon."""

    page: int
    per_page: int
