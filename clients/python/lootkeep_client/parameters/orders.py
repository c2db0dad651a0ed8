"""What the methods of `orders` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Required, TypedDict

from lootkeep_client import types


class ListOrders(TypedDict, total=False):
    """List orders."""

    page: int
    per_page: int
    from_: str
    to: str
    search: str
    order: types.SortDirection
    status: types.OrderStatus
    customer_id: int
    email: str
    external_id: str
    product_id: int
    coupon_code: str
    payment_method: str
    country: str
    min_total: str | float
    max_total: str | float
    risk_level: types.RiskLevel
    sort: Literal["id", "created_at", "paid_at", "total"]


class FulfillOrder(TypedDict, total=False):
    """Mark an order as fulfilled."""

    items: Sequence[types.DeliveredBody] | None
    note: str | None


class ReplaceKey(TypedDict, total=False):
    """Replace a key of an order."""

    key_id: Required[int]
    reason: Required[str]


class ReadEvidence(TypedDict, total=False):
    """Read the evidence of an order."""

    dispute_id: int
