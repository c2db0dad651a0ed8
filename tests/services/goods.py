"""What stores in tests of any sequence sell, and the terms of a plain product."""

from __future__ import annotations

from typing import Any

from lootkeep.domain.products import ProductTerms
from lootkeep.kernel.money import Hundredths

# Scarce and slow, cheap and automatic, free, and in another currency: every way an order can go.
CATALOGUE: dict[str, dict[str, Any]] = {
    "rank": {"price": 20_00, "stock": 6},
    "key": {"price": 5, "delivery_type": "keys", "stock": 50},
    "gift": {"price": 0, "stock": 4},
    "import": {"price": 10_00, "currency": "EUR", "delivery_type": "file"},
    "card": {"price": 15_00, "delivery_type": "gift_card"},
}
PLAIN = ProductTerms(
    name="",
    sku=None,
    description=None,
    delivery_type="manual",
    billing_type="one_time",
    billing_interval=None,
    billing_interval_count=None,
    status="active",
    price=Hundredths(0),
    compare_at_price=None,
    currency="USD",
    stock=None,
    max_per_order=None,
    category=None,
    tags="[]",
    image_url=None,
    metadata="{}",
)
