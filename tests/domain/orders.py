"""An order for the tests of its steps."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.domain.orders import (
    Order,
)
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths

CREATED, NOW = Instant(1_000), Instant(2_000)

PLACED = Order(
    id=123,
    customer_id=1,
    status="pending",
    subtotal=Hundredths(25_00),
    discount_total=Hundredths(5_00),
    total=Hundredths(20_00),
    gift_card_total=Hundredths(0),
    refunded_total=Hundredths(0),
    currency="USD",
    coupon_id=None,
    coupon_code=None,
    referral_code=None,
    subscription_id=None,
    payment_method=None,
    transaction_id=None,
    ip_address="203.0.113.9",
    billing_country=None,
    user_agent=None,
    device_id=None,
    cancel_reason=None,
    external_id=None,
    metadata="{}",
    created_at=CREATED,
    updated_at=CREATED,
    paid_at=None,
    completed_at=None,
    cancelled_at=None,
    refunded_at=None,
)


def order(**changes: Any) -> Order:
    return msgspec.structs.replace(PLACED, **changes)
