"""What the methods of `support_tickets` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict


class ListSupportTickets(TypedDict, total=False):
    """List support tickets."""

    page: int
    per_page: int
    status: Literal["open", "pending", "resolved", "closed"] | None
    priority: Literal["low", "normal", "high", "urgent"] | None
    category: Literal["order", "payment", "delivery", "account", "refund", "technical", "other"] | None
    assigned_to: int | Literal["me", "none"] | None
    customer_id: int | None
    order_id: int | None
    from_: str | None
    to: str | None
    search: str | None
    sort: Literal["created_at", "last_message_at"]
    order: Literal["asc", "desc"]


class GetSupportTicket(TypedDict, total=False):
    """Read a support ticket with its messages."""

    before: int | None
    limit: int


class SetSupportTicketStatus(TypedDict, total=False):
    """Set a support ticket's status."""

    status: Required[Literal["open", "pending", "resolved", "closed"]]


class AddSupportTicketMessage(TypedDict, total=False):
    """Write to a support ticket."""

    message: Required[str]
    is_internal: bool


class CloseSupportTicket(TypedDict, total=False):
    """Close a support ticket."""

    message: str | None


class AssignSupportTicket(TypedDict, total=False):
    """Assign a support ticket."""

    user_id: Required[int | None]
