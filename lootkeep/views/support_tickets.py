"""Support tickets in public: the list, and a ticket with its messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from lootkeep.domain.support_tickets import (
    AuthorType,
    LastMessageBy,
    Message,
    TicketCategory,
    TicketEntry,
    TicketPriority,
    TicketStatus,
)
from lootkeep.kernel.clock import optional_utc, utc
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.orders import OrderCustomerView

_MOMENT = "2026-11-15T10:42:00Z"


class AgentView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the user.", 2)]
    name: Annotated[str, field("The user's name.", "Mira Voss")]


class TicketView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the ticket.", 123)]
    ticket_number: Annotated[str, field("What customers see.", "TKT-000123")]
    subject: Annotated[str, field("What it is about.", "My key does not work")]
    status: Annotated[TicketStatus, field("`open`: it is our turn. `pending`: it is the customer's.", "pending")]
    priority: Annotated[TicketPriority, field("How much it presses.", "normal")]
    category: Annotated[TicketCategory, field("What kind of request it is.", "delivery")]
    customer: OrderCustomerView
    order_id: Annotated[int | None, field("The order it is about.", 77)]
    assigned_to: Annotated[AgentView | None, field("Who works on it.", {"id": 2, "name": "Mira Voss"})]
    messages_count: Annotated[int, field("Messages that the customer sees.", 2)]
    last_message_at: Annotated[Moment, field("When the last of them was written.", _MOMENT)]
    last_message_by: Annotated[LastMessageBy, field("By whom.", "staff")]
    first_response_at: Annotated[Moment | None, field("When the staff first answered.", _MOMENT)]
    resolved_at: Annotated[Moment | None, field("Since when it is resolved or closed.", None)]
    closed_at: Annotated[Moment | None, field("Since when it is closed.", None)]
    reopened_count: Annotated[int, field("How often it was opened again after it was resolved or closed.", 0)]
    created_at: Time
    updated_at: Time


class TicketMessageView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the message.", 456)]
    author_type: Annotated[AuthorType, field("Who wrote it; `system` notes who did what.", "staff")]
    author_name: Annotated[str, field("The author's name at that time.", "Mira Voss")]
    body: Annotated[str, field("Plain text.", "Here is a new key.")]
    is_internal: Annotated[bool, field("For staff alone.", False)]
    created_at: Time


class TicketDetailView(TicketView, frozen=True):
    messages: Annotated[list[TicketMessageView], field("The newest messages, in the order they were written.", [])]
    earlier_before: Annotated[int | None, field("Sent as `before` it answers those before; null: these are all.", None)]


class PostedMessageView(TicketMessageView, frozen=True):
    ticket: TicketView


def ticket(entry: TicketEntry) -> TicketView:
    return TicketView(**_ticket(entry))


def message(record: Message) -> TicketMessageView:
    return TicketMessageView(**_message(record))


def detail(entry: TicketEntry, messages: Sequence[Message], earlier_before: int | None) -> TicketDetailView:
    return TicketDetailView(
        **_ticket(entry), messages=[message(record) for record in messages], earlier_before=earlier_before
    )


def posted(record: Message, entry: TicketEntry) -> PostedMessageView:
    return PostedMessageView(**_message(record), ticket=ticket(entry))


def _ticket(entry: TicketEntry) -> dict[str, Any]:
    agent_id, agent_name = entry.assigned_to_id, entry.assigned_to_name
    return {
        "id": entry.id,
        "ticket_number": entry.number,
        "subject": entry.subject,
        "status": entry.status,
        "priority": entry.priority,
        "category": entry.category,
        "customer": OrderCustomerView(entry.customer_id, entry.customer_name, entry.customer_email),
        "order_id": entry.order_id,
        "assigned_to": None if agent_id is None or agent_name is None else AgentView(agent_id, agent_name),
        "messages_count": entry.messages_count,
        "last_message_at": utc(entry.last_message_at),
        "last_message_by": entry.last_message_by,
        "first_response_at": optional_utc(entry.first_response_at),
        "resolved_at": optional_utc(entry.resolved_at),
        "closed_at": optional_utc(entry.closed_at),
        "reopened_count": entry.reopened_count,
        "created_at": utc(entry.created_at),
        "updated_at": utc(entry.updated_at),
    }


def _message(record: Message) -> dict[str, Any]:
    return {
        "id": record.id,
        "author_type": record.author_type,
        "author_name": record.author_name,
        "body": record.body,
        "is_internal": record.is_internal,
        "created_at": utc(record.created_at),
    }
