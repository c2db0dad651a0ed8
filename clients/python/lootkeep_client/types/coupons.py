"""What `coupons` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lootkeep_client.types.words import CouponOrigin, CouponState, CouponUseState, DiscountType


class CouponDetails(TypedDict):
    id: int
    code: str
    origin: CouponOrigin
    state: CouponState
    discount_type: DiscountType
    discount_value: str
    currency: str | None
    product_ids: Sequence[int]
    categories: Sequence[str]
    min_total: str | None
    first_order_only: bool
    max_uses: int | None
    max_uses_per_customer: int | None
    starts_at: str | None
    ends_at: str | None
    is_active: bool
    note: str | None
    batch: str | None
    customer_id: int | None
    uses_count: int
    reserved_count: int
    created_at: str
    updated_at: str


class GeneratedCoupons(TypedDict):
    created: int
    batch: str


class CouponUse(TypedDict):
    order_id: int
    customer_id: int
    discount: str
    state: CouponUseState
    created_at: str
