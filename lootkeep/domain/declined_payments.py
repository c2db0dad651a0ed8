"""Payments that the provider declined."""

from __future__ import annotations

import msgspec

from lootkeep.domain.orders import Order
from lootkeep.kernel.clock import Instant


class PaymentAttempt(msgspec.Struct, frozen=True):
    """A declined payment."""

    id: int
    order_id: int
    # The provider's reason.
    reason: str | None
    external_id: str | None
    at: Instant
    # Who tried, for later orders of theirs.
    customer_id: int
    device_id: str | None
    ip_network: str | None


def declined(order: Order, at: Instant, reason: str | None = None, external_id: str | None = None) -> PaymentAttempt:
    return PaymentAttempt(0, order.id, reason, external_id, at, order.customer_id, order.device_id, order.ip_network)
