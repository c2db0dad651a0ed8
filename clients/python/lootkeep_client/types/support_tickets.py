"""What `support_tickets` has; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from lootkeep_client.types.orders import OrderCustomer
from lootkeep_client.types.words import AuthorType, LastMessageBy, TicketCategory, TicketPriority, TicketStatus


class Agent(TypedDict):
    id: int
    name: str


class Ticket(TypedDict):
    id: int
    ticket_number: str
    subject: str
    status: TicketStatus
    priority: TicketPriority
    category: TicketCategory
    customer: OrderCustomer
    order_id: int | None
    assigned_to: Agent | None
    messages_count: int
    last_message_at: str
    last_message_by: LastMessageBy
    first_response_at: str | None
    resolved_at: str | None
    closed_at: str | None
    reopened_count: int
    created_at: str
    updated_at: str


class AgentFigures(TypedDict):
    user: Agent
    assigned: int
    by_status: Mapping[str, int]
    average_first_response_minutes: float | None
    average_resolution_minutes: float | None


class TicketStats(TypedDict):
    total: int
    by_status: Mapping[str, int]
    by_priority: Mapping[str, int]
    by_category: Mapping[str, int]
    unassigned: int
    created_today: int
    closed_today: int
    average_first_response_minutes: float | None
    median_first_response_minutes: float | None
    average_resolution_minutes: float | None
    median_resolution_minutes: float | None
    by_agent: Sequence[AgentFigures]


class TicketMessage(TypedDict):
    id: int
    author_type: AuthorType
    author_name: str
    body: str
    is_internal: bool
    created_at: str


class TicketDetail(TypedDict):
    id: int
    ticket_number: str
    subject: str
    status: TicketStatus
    priority: TicketPriority
    category: TicketCategory
    customer: OrderCustomer
    order_id: int | None
    assigned_to: Agent | None
    messages_count: int
    last_message_at: str
    last_message_by: LastMessageBy
    first_response_at: str | None
    resolved_at: str | None
    closed_at: str | None
    reopened_count: int
    created_at: str
    updated_at: str
    messages: Sequence[TicketMessage]
    earlier_before: int | None


class PostedMessage(TypedDict):
    id: int
    author_type: AuthorType
    author_name: str
    body: str
    is_internal: bool
    created_at: str
    ticket: Ticket
