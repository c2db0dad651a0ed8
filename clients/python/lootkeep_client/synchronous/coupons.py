"""The methods of `coupons`; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Unpack

from lootkeep_client import types
from lootkeep_client.cores import Core
from lootkeep_client.pages import Pages
from lootkeep_client.parameters import coupons as takes


class Coupons:
    """`client.coupons`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def list(self, **query: Unpack[takes.ListCoupons]) -> Pages[types.CouponDetails]:
        """List coupons."""
        return self._core.pages(types.CouponDetails, "GET", "/api/external/v1/coupons", query=query)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[takes.CreateCoupon]) -> types.CouponDetails:
        """Create a coupon."""
        return self._core.one(types.CouponDetails, "POST", "/api/external/v1/coupons", body=body, key=idempotency_key)

    def generate(
        self, *, idempotency_key: str | None = None, **body: Unpack[takes.GenerateCoupons]
    ) -> types.GeneratedCoupons:
        """Generate coupons."""
        return self._core.one(
            types.GeneratedCoupons, "POST", "/api/external/v1/coupons/generate", body=body, key=idempotency_key
        )

    def get(self, coupon_id: int) -> types.CouponDetails:
        """Read a coupon."""
        return self._core.one(types.CouponDetails, "GET", "/api/external/v1/coupons/{id}", coupon_id)

    def update(self, coupon_id: int, **body: Unpack[takes.UpdateCoupon]) -> types.CouponDetails:
        """Update a coupon."""
        return self._core.one(types.CouponDetails, "PUT", "/api/external/v1/coupons/{id}", coupon_id, body=body)

    def delete(self, coupon_id: int) -> str:
        """Delete a coupon."""
        return self._core.message("DELETE", "/api/external/v1/coupons/{id}", coupon_id)

    def uses(self, coupon_id: int, **query: Unpack[takes.ListCouponUses]) -> Pages[types.CouponUse]:
        """List the uses of a coupon."""
        return self._core.pages(types.CouponUse, "GET", "/api/external/v1/coupons/{id}/uses", coupon_id, query=query)
