"""What the methods of `products` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, TypedDict


class ListProducts(TypedDict, total=False):
    """List products."""

    page: int
    per_page: int
    from_: str | None
    to: str | None
    search: str | None
    order: Literal["asc", "desc"]
    status: Literal["draft", "active", "archived"] | None
    delivery_type: Literal["keys", "file", "command", "manual", "gift_card"] | None
    billing_type: Literal["one_time", "recurring"] | None
    category: str | None
    tag: str | None
    in_stock: bool | None
    min_price: float | str | None
    max_price: float | str | None
    sort: Literal["id", "name", "price", "stock", "sales_count", "created_at", "updated_at"]
