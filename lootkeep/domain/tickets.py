"""Support tickets: who must act next, which steps are allowed, and the effect of a message."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from lootkeep.kernel.clock import DAY, SECOND, Instant
from lootkeep.kernel.errors import Conflict

# Open: waits for the store. Pending: waits for the customer.
TicketStatus = Literal["open", "pending", "resolved", "closed"]
TicketPriority = Literal["low", "normal", "high", "urgent"]
TicketCategory = Literal["order", "payment", "delivery", "account", "refund", "technical", "other"]
AuthorType = Literal["customer", "staff", "system"]
# Only public messages count as the last message.
LastMessageBy = Literal["customer", "staff"]

# The states that staff may set. A resolved or closed ticket must be reopened first.
STEPS: dict[TicketStatus, tuple[TicketStatus, ...]] = {
    "open": ("pending", "resolved", "closed"),
    "pending": ("open", "resolved", "closed"),
    "resolved": ("open", "closed"),
    "closed": ("open",),
}
_SETTLED = ("resolved", "closed")

# After this time, a customer's message is about something else and needs a new ticket.
REOPENED_WITHIN = 14 * DAY

SYSTEM = "System"
MAX_MESSAGE_LENGTH = 20_000


class Ticket(msgspec.Struct, frozen=True):
    """A customer's request; operations that add messages maintain its figures."""

    id: int
    customer_id: int
    order_id: int | None
    subject: str
    status: TicketStatus
    priority: TicketPriority
    category: TicketCategory
    assigned_to_id: int | None
    # Internal notes do not count, here and in the two fields below.
    messages_count: int
    last_message_at: Instant
    last_message_by: LastMessageBy
    first_response_at: Instant | None
    # When it was resolved, or closed without being resolved.
    resolved_at: Instant | None
    closed_at: Instant | None
    reopened_count: int
    created_at: Instant
    updated_at: Instant

    @property
    def number(self) -> str:
        return f"TKT-{self.id:06d}"

    @property
    def response_seconds(self) -> int | None:
        return None if self.first_response_at is None else (self.first_response_at - self.created_at) // SECOND

    @property
    def resolution_seconds(self) -> int | None:
        return None if self.resolved_at is None else (self.resolved_at - self.created_at) // SECOND


class TicketEntry(Ticket, frozen=True):
    """A ticket with the names that a response shows."""

    customer_name: str
    customer_email: str
    assigned_to_name: str | None


class TicketMessage(msgspec.Struct, frozen=True):
    """One message of a ticket; an internal message is only for staff."""

    id: int
    ticket_id: int
    author_type: AuthorType
    user_id: int | None
    author_name: str
    body: str
    is_internal: bool
    created_at: Instant


class TicketForm(msgspec.Struct, frozen=True):
    """A new ticket."""

    customer_id: int
    subject: str
    message: str
    priority: TicketPriority = "normal"
    category: TicketCategory = "other"
    order_id: int | None = None


def opened(form: TicketForm, now: Instant) -> Ticket:
    """The new ticket with its first message. Its id is not known yet."""
    return Ticket(
        id=0,
        customer_id=form.customer_id,
        order_id=form.order_id,
        subject=form.subject,
        status="open",
        priority=form.priority,
        category=form.category,
        assigned_to_id=None,
        messages_count=1,
        last_message_at=now,
        last_message_by="customer",
        first_response_at=None,
        resolved_at=None,
        closed_at=None,
        reopened_count=0,
        created_at=now,
        updated_at=now,
    )


def moved(ticket: Ticket, status: TicketStatus, now: Instant) -> Ticket:
    """The ticket after a step of the staff; the same record if it is already in that state."""
    if status == ticket.status:
        return ticket
    if status not in STEPS[ticket.status]:
        raise Conflict(
            "ticket_step_not_allowed",
            f"Ticket {ticket.number} is {ticket.status} and cannot become {status}. "
            f"Allowed from here: {', '.join(STEPS[ticket.status])}.",
        )
    return _at(ticket, status, now)


def answered(ticket: Ticket, now: Instant) -> Ticket:
    """After a public message of the staff: the ticket waits for the customer."""
    if ticket.status == "closed":
        raise Conflict(
            "ticket_closed", f"Ticket {ticket.number} is closed. Set its status to open before you write to it."
        )
    updated = _with_message(ticket, "staff", now)
    if updated.first_response_at is None:
        # The clocks of two machines may differ a little: a reply never comes before its question.
        updated = replace(updated, first_response_at=max(now, ticket.created_at))
    return _at(updated, "pending", now) if ticket.status == "open" else updated


def asked(ticket: Ticket, now: Instant) -> Ticket:
    """After a message of the customer: the ticket waits for the store, unless it was closed too long ago."""
    if ticket.closed_at is not None and now - ticket.closed_at > REOPENED_WITHIN:
        raise Conflict(
            "ticket_closed",
            f"Ticket {ticket.number} was closed more than {REOPENED_WITHIN // DAY} days ago. Please open a new ticket.",
        )
    updated = _with_message(ticket, "customer", now)
    return updated if ticket.status == "open" else _at(updated, "open", now)


def assigned(ticket: Ticket, user_id: int | None, now: Instant) -> Ticket:
    if user_id == ticket.assigned_to_id:
        return ticket
    return replace(ticket, assigned_to_id=user_id, updated_at=now)


def prioritized(ticket: Ticket, priority: TicketPriority, now: Instant) -> Ticket:
    if priority == ticket.priority:
        return ticket
    return replace(ticket, priority=priority, updated_at=now)


def _with_message(ticket: Ticket, by: LastMessageBy, now: Instant) -> Ticket:
    return replace(
        ticket, messages_count=ticket.messages_count + 1, last_message_at=now, last_message_by=by, updated_at=now
    )


def _at(ticket: Ticket, status: TicketStatus, now: Instant) -> Ticket:
    """The ticket in another state, with the corresponding times."""
    settled_at = max(now, ticket.created_at)
    is_reopened = ticket.status in _SETTLED and status not in _SETTLED
    return replace(
        ticket,
        status=status,
        resolved_at=(ticket.resolved_at or settled_at) if status in _SETTLED else None,
        closed_at=settled_at if status == "closed" else None,
        reopened_count=ticket.reopened_count + is_reopened,
        updated_at=now,
    )
