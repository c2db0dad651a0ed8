"""What the methods of `products` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict

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


class AddKeys(TypedDict, total=False):
    """Add keys to a product."""

    keys: Required[Sequence[str]]
    batch: str | None
    unit_cost: str | float | None


class ListKeys(TypedDict, total=False):
    """List the keys of a product."""

    page: int
    per_page: int
    status: types.KeyStatus
    batch: str
    order_id: int
    sort: Literal["id"]
    order: types.SortDirection


class WithdrawKeys(TypedDict, total=False):
    """Withdraw keys."""

    batch: str | None
    key_ids: Sequence[int] | None
