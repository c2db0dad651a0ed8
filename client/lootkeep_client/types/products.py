"""What `products` has; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from lootkeep_client.types.words import BillingInterval, BillingType, DeliveryType, ProductStatus


class Product(TypedDict):
    id: int
    name: str
    slug: str
    sku: str | None
    description: str | None
    delivery_type: DeliveryType
    billing_type: BillingType
    billing_interval: BillingInterval | None
    billing_interval_count: int | None
    status: ProductStatus
    price: str
    compare_at_price: str | None
    currency: str
    stock: int | None
    stock_status: Literal["in_stock", "low_stock", "out_of_stock", "unlimited"]
    max_per_order: int | None
    category: str | None
    tags: Sequence[str]
    image_url: str | None
    sales_count: int
    metadata: Mapping[str, str | float | bool | None]
    created_at: str
    updated_at: str
