"""What the methods of `customers` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from lootkeep_client import types


class ListCustomers(TypedDict, total=False):
    """List customers."""

    page: int
    per_page: int
    from_: str
    to: str
    search: str
    order: types.SortDirection
    email: str
    status: types.CustomerStatus
    country: str
    accepts_marketing: bool
    has_orders: bool
    min_total_spent: str | float
    tag: str
    identity: str
    sort: Literal["id", "created_at", "name", "email", "orders_count", "total_spent", "last_order_at"]


class UpdateCustomer(TypedDict, total=False):
    """Change a customer."""

    email: str
    name: str
    username: str | None
    external_id: str | None
    country: str | None
    accepts_marketing: bool
    email_status: types.MailboxStatus
    tags: Sequence[str]
    identities: Sequence[types.PlayerBody]
    note: str | None
    status: types.CustomerStatus
    status_reason: str | None
