"""Support tickets in public: the list, and a ticket with its messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec

from lootkeep.domain.tickets import (
    AuthorType,
    LastMessageBy,
    TicketCategory,
    TicketEntry,
    TicketMessage,
    TicketPriority,
    TicketStatus,
)
from lootkeep.views.fields import Moment, Time, field
from lootkeep.views.mapping import view_of
from lootkeep.views.orders import OrderCustomerView

_MOMENT = "2026-11-15T10:42:00Z"


class AgentView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the user.", 2)]
    name: Annotated[str, field("The user's name.", "Mira Voss")]


class TicketView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the ticket.", 123)]
    ticket_number: Annotated[str, field("What customers see.", "TKT-000123")]
    subject: Annotated[str, field("What it is about.", "My key does not work")]
    status: Annotated[
        TicketStatus, field("`open`: waiting for the staff. `pending`: waiting for the customer.", "pending")
    ]
    priority: Annotated[TicketPriority, field("The priority.", "normal")]
    category: Annotated[TicketCategory, field("The category.", "delivery")]
    customer: OrderCustomerView
    order_id: Annotated[int | None, field("The order it is about.", 77)]
    assigned_to: Annotated[AgentView | None, field("The user it is assigned to.", {"id": 2, "name": "Mira Voss"})]
    messages_count: Annotated[int, field("Messages that the customer sees.", 2)]
    last_message_at: Annotated[Moment, field("When the last of these was written.", _MOMENT)]
    last_message_by: Annotated[LastMessageBy, field("Who wrote it.", "staff")]
    first_response_at: Annotated[Moment | None, field("When the staff first replied.", _MOMENT)]
    resolved_at: Annotated[Moment | None, field("When it was resolved or closed.", None)]
    closed_at: Annotated[Moment | None, field("When it was closed.", None)]
    reopened_count: Annotated[int, field("How often it was reopened after it was resolved or closed.", 0)]
    created_at: Time
    updated_at: Time


class TicketMessageView(msgspec.Struct, frozen=True):
    id: Annotated[int, field("Identifies the message.", 456)]
    author_type: Annotated[AuthorType, field("Who wrote it; `system` records who did what.", "staff")]
    author_name: Annotated[str, field("The author's name at that time.", "Mira Voss")]
    body: Annotated[str, field("Plain text.", "Here is a new key.")]
    is_internal: Annotated[bool, field("Only for staff.", False)]
    created_at: Time


class TicketDetailView(TicketView, frozen=True):
    messages: Annotated[list[TicketMessageView], field("The newest messages, in chronological order.", [])]
    earlier_before: Annotated[
        int | None, field("Send it as `before` to get earlier messages; null if there are none.", None)
    ]


class PostedMessageView(TicketMessageView, frozen=True):
    ticket: TicketView


_PEOPLE = ("customer", "assigned_to")
_TICKET = view_of(TicketView, TicketEntry, *_PEOPLE, ticket_number="number")
_DETAIL = view_of(TicketDetailView, TicketEntry, *_PEOPLE, "messages", "earlier_before", ticket_number="number")
_POSTED = view_of(PostedMessageView, TicketMessage, "ticket")

message: Callable[[TicketMessage], TicketMessageView] = view_of(TicketMessageView, TicketMessage)


def ticket(entry: TicketEntry) -> TicketView:
    return _TICKET(entry, **_people(entry))


def detail(entry: TicketEntry, messages: Sequence[TicketMessage], earlier_before: int | None) -> TicketDetailView:
    listed = [message(record) for record in messages]
    return _DETAIL(entry, **_people(entry), messages=listed, earlier_before=earlier_before)


def posted(record: TicketMessage, entry: TicketEntry) -> PostedMessageView:
    return _POSTED(record, ticket=ticket(entry))


def _people(entry: TicketEntry) -> dict[str, Any]:
    agent_id, agent_name = entry.assigned_to_id, entry.assigned_to_name
    return {
        "customer": OrderCustomerView(entry.customer_id, entry.customer_name, entry.customer_email),
        "assigned_to": None if agent_id is None or agent_name is None else AgentView(agent_id, agent_name),
    }
