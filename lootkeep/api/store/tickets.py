"""Support tickets over the Store API: what customers open and write."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.external.tickets import MessageText
from lootkeep.api.http.fields import Name, field
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Group, Reply, Route, single
from lootkeep.api.http.validation import Body
from lootkeep.domain.tickets import TicketCategory, TicketForm, TicketPriority
from lootkeep.services import tickets as tickets_service
from lootkeep.views import tickets as tickets_views


class TicketBody(Body):
    """A new ticket."""

    customer_id: Annotated[int, field("The customer.", 31, ge=1)]
    subject: Annotated[Name, field("What it is about.", "My key does not work")]
    message: Annotated[MessageText, field("Plain text.", "The game says it was used before.")]
    priority: Annotated[TicketPriority, field("The priority.")] = "normal"
    category: Annotated[TicketCategory, field("The category.", "delivery")] = "other"
    order_id: Annotated[Annotated[int, Field(ge=1)] | None, field("The customer's order it is about.", 77)] = None


class CustomerMessageBody(Body):
    """A message of the customer."""

    message: Annotated[MessageText, field("Plain text.", "It works now, thank you!")]


async def open_support_ticket(call: Call[TicketBody, None]) -> Reply:
    form = TicketForm(**{name: getattr(call.body, name) for name in TicketForm.__struct_fields__})
    message, entry = await tickets_service.open_ticket(call.deps, form)
    return Reply(tickets_views.detail(entry, [message], None))


async def add_customer_message(call: Call[CustomerMessageBody, None]) -> Reply:
    return Reply(tickets_views.posted(*await tickets_service.ask(call.deps, call.id, call.body.message)))


GROUP = Group(
    name="Store: support tickets",
    description="Messages of customers to the store's support.",
    prefix="/api/store/v1",
    routes=(
        Route(
            "POST",
            "/support-tickets",
            open_support_ticket,
            "store:write",
            "Open a support ticket",
            single(tickets_views.TicketDetailView, "Support ticket created successfully", status=201),
            max_body=MAX_LARGE_BODY,
            description="Opens a ticket for a customer, with their first message.",
        ),
        Route(
            "POST",
            "/support-tickets/{id}/messages",
            add_customer_message,
            "store:write",
            "Add a customer's message",
            single(tickets_views.PostedMessageView, "Message added successfully", status=201),
            max_body=MAX_LARGE_BODY,
            description="Reopens a ticket that is pending, resolved, or closed for at most 14 days. A ticket closed "
            "for longer returns 409 `ticket_closed`: open a new one.",
        ),
    ),
)
