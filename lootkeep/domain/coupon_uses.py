"""The orders that have a coupon, and accounts that used it and have something in common."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.domain.identity import TraceKind
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths

UseState = Literal["reserved", "used"]


class CouponUse(msgspec.Struct, frozen=True):
    """An order that reserves a coupon, or has used it."""

    order_id: int
    customer_id: int
    discount: Hundredths
    total: Hundredths
    currency: str
    paid_at: Instant | None
    created_at: Instant

    @property
    def state(self) -> UseState:
        return "reserved" if self.paid_at is None else "used"


class SharedTrace(msgspec.Struct, frozen=True):
    """An account that used a coupon, and what it has in common with another that did."""

    kind: TraceKind
    value: str
    customer_id: int
    name: str
