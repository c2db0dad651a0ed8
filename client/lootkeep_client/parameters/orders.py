"""What the methods of `orders` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class ListOrders(TypedDict, total=False):
    """List orders."""

    page: int
    per_page: int
    from_: str
    to: str
    search: str
    order: Literal["asc", "desc"]
    status: Literal["pending", "on_hold", "paid", "completed", "partially_refunded", "refunded", "cancelled"]
    customer_id: int
    email: str
    product_id: int
    coupon_code: str
    payment_method: str
    country: str
    min_total: str
    max_total: str
    risk_level: Literal["low", "medium", "high", "critical"]
    sort: Literal["id", "created_at", "paid_at", "total"]


class FulfillOrder(TypedDict, total=False):
    """Mark an order as fulfilled."""

    items: Sequence[Mapping[str, Any]] | None
    note: str | None
