"""The lines of an order, and how much of each was delivered."""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.money import Hundredths


class OrderItem(msgspec.Struct, frozen=True):
    """One line of an order: name and price as they were when it was placed."""

    id: int
    order_id: int
    product_id: int
    product_name: str
    sku: str | None
    delivery_type: str
    quantity: int
    price: Hundredths
    total: Hundredths
    fulfilled_quantity: int
    holds_stock: bool
    valid_days: int | None = None
    # When the whole line was delivered.
    delivered_at: Instant | None = None
    # Since when the line is paid and waits for keys.
    waiting_since: Instant | None = None
    # When the store first read what was delivered.
    handed_at: Instant | None = None
    # When the commands for its end are queued; none once they are.
    expiry_due_at: Instant | None = None

    @property
    def missing(self) -> int:
        return self.quantity - self.fulfilled_quantity

    @property
    def expires_at(self) -> Instant | None:
        if self.valid_days is None or self.delivered_at is None:
            return None
        return Instant(self.delivered_at + self.valid_days * DAY)
