"""What the methods of `customers` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, TypedDict


class ListCustomers(TypedDict, total=False):
    """List customers."""

    page: int
    per_page: int
    from_: str | None
    to: str | None
    search: str | None
    order: Literal["asc", "desc"]
    email: str | None
    status: Literal["active", "blocked"] | None
    country: str | None
    accepts_marketing: bool | None
    has_orders: bool | None
    min_total_spent: float | str | None
    sort: Literal["id", "created_at", "name", "email", "orders_count", "total_spent", "last_order_at"]
