"""What the methods of `orders` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class ListOrders(TypedDict, total=False):
    """List orders."""

    page: int
    per_page: int
    from_: str | None
    to: str | None
    search: str | None
    order: Literal["asc", "desc"]
    status: Literal["pending", "on_hold", "paid", "completed", "partially_refunded", "refunded", "cancelled"] | None
    customer_id: int | None
    email: str | None
    product_id: int | None
    coupon_code: str | None
    payment_method: str | None
    country: str | None
    min_total: float | str | None
    max_total: float | str | None
    risk_level: Literal["low", "medium", "high", "critical"] | None
    sort: Literal["id", "created_at", "paid_at", "total"]


class FulfillOrder(TypedDict, total=False):
    """Mark an order fulfilled."""

    items: Sequence[Mapping[str, Any]] | None
    note: str | None
