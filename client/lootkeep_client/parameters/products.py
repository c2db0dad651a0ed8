"""What the methods of `products` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, TypedDict

from lootkeep_client import types


class ListProducts(TypedDict, total=False):
    """List products."""

    page: int
    per_page: int
    from_: str
    to: str
    search: str
    order: types.SortDirection
    status: types.ProductStatus
    delivery_type: types.DeliveryType
    billing_type: types.BillingType
    category: str
    tag: str
    in_stock: bool
    min_price: str | float
    max_price: str | float
    sort: Literal["id", "name", "price", "stock", "sales_count", "created_at", "updated_at"]
