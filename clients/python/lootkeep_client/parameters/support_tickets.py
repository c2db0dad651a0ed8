"""What the methods of `support_tickets` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from typing import Literal, Required, TypedDict

from lootkeep_client import types


class ListSupportTickets(TypedDict, total=False):
    """List support tickets."""

    page: int
    per_page: int
    status: types.TicketStatus
    priority: types.TicketPriority
    category: types.TicketCategory
    assigned_to: int | Literal["me", "none"]
    customer_id: int
    order_id: int
    from_: str
    to: str
    search: str
    sort: Literal["id", "created_at", "last_message_at"]
    order: types.SortDirection


class GetSupportTicket(TypedDict, total=False):
    """Read a support ticket with its messages."""

    before: int
    limit: int


class SetSupportTicketStatus(TypedDict, total=False):
    """Set a support ticket's status."""

    status: Required[types.TicketStatus]


class AddSupportTicketMessage(TypedDict, total=False):
    """Add a staff message to a support ticket."""

    message: Required[str]
    is_internal: bool


class CloseSupportTicket(TypedDict, total=False):
    """Close a support ticket."""

    message: str | None


class AssignSupportTicket(TypedDict, total=False):
    """Assign a support ticket."""

    user_id: Required[int | None]
