"""Support tickets as webhooks carry them: with what the customer and the staff wrote to each other, never a note."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from lootkeep.domain.tickets import (
    LastMessageBy,
    TicketCategory,
    TicketEntry,
    TicketMessage,
    TicketPriority,
    TicketStatus,
)
from lootkeep.views.fields import field


class TicketData(msgspec.Struct, frozen=True):
    ticket_id: Annotated[int, field("Identifies the ticket.", 123)]
    ticket_number: Annotated[str, field("What customers see.", "TKT-000123")]
    customer_id: Annotated[int, field("The customer.", 31)]
    customer_email: Annotated[str, field("The customer's e-mail address.", "jun@example.com")]
    customer_name: Annotated[str, field("The customer's name.", "Jun Park")]
    order_id: Annotated[int | None, field("The order it is about.", 77)]
    subject: Annotated[str, field("What it is about.", "My key does not work")]
    status: Annotated[TicketStatus, field("The ticket's status after the event.", "open")]
    priority: Annotated[TicketPriority, field("The priority.", "normal")]
    category: Annotated[TicketCategory, field("The category.", "delivery")]
    message: Annotated[str, field("What was written, as plain text.", "It says that the key is invalid.")]


class TicketRepliedData(TicketData, frozen=True):
    message_id: Annotated[int, field("Identifies the message.", 456)]
    author_type: Annotated[LastMessageBy, field("Who wrote it.", "staff")]
    author_name: Annotated[str, field("The author's name at that time.", "Mira Voss")]


def created(ticket: TicketEntry, message: TicketMessage) -> TicketData:
    return TicketData(**_common(ticket, message))


def replied(ticket: TicketEntry, message: TicketMessage) -> TicketRepliedData:
    author: dict[str, Any] = {"author_type": message.author_type, "author_name": message.author_name}
    return TicketRepliedData(**_common(ticket, message), message_id=message.id, **author)


def _common(ticket: TicketEntry, message: TicketMessage) -> dict[str, Any]:
    return {
        "ticket_id": ticket.id,
        "ticket_number": ticket.number,
        "customer_id": ticket.customer_id,
        "customer_email": ticket.customer_email,
        "customer_name": ticket.customer_name,
        "order_id": ticket.order_id,
        "subject": ticket.subject,
        "status": ticket.status,
        "priority": ticket.priority,
        "category": ticket.category,
        "message": message.body,
    }
