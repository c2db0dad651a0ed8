"""What the methods of `payments` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict

from lootkeep_client import types


class CreatePaymentSource(TypedDict, total=False):
    """Create a payment source."""

    name: Required[str]
    secret: Required[str]
    is_test: bool
    provider: Required[types.PaymentProvider]


class UpdatePaymentSource(TypedDict, total=False):
    """Update a payment source."""

    name: str
    secret: str
    is_test: bool
    is_active: bool


class ListPaymentEvents(TypedDict, total=False):
    """List payment events."""

    page: int
    per_page: int
    status: types.PaymentEventStatus
    source_id: int
    order_id: int
    type: str
    sort: Literal["id"]
    order: types.SortDirection


class MatchPaymentEvent(TypedDict, total=False):
    """Apply a payment event to an order."""

    order_id: Required[int]
    accept_difference: bool
