"""The terms of a plain product: a test changes what it is about."""

from __future__ import annotations

from lootkeep.domain.products import ProductTerms
from lootkeep.kernel.money import Hundredths

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
