"""Support tickets and their messages, with their maintained figures."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, insert, select, update

from lootkeep.domain.customers import Customer, search_text
from lootkeep.domain.tickets import AuthorType, Ticket, TicketEntry, TicketMessage
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, support_tickets, ticket_messages, users

_TICKET = [support_tickets.c[name] for name in Ticket.__struct_fields__]
_MESSAGE = [ticket_messages.c[name] for name in TicketMessage.__struct_fields__]
_THIS = support_tickets.c.id == bindparam("ticket")
# The columns that steps of a ticket change; the rest is fixed when it is opened.
_CHANGING = (
    "status",
    "priority",
    "assigned_to_id",
    "messages_count",
    "last_message_at",
    "last_message_by",
    "first_response_at",
    "resolved_at",
    "closed_at",
    "reopened_count",
    "updated_at",
)

# As a response shows it; the lists join the same tables to their pages.
ENTRY = (
    *_TICKET,
    customers.c.name.label("customer_name"),
    customers.c.email.label("customer_email"),
    users.c.name.label("assigned_to_name"),
)

_ADD = Query(
    insert(support_tickets)
    .values(
        {name: bindparam(name) for name in Ticket.__struct_fields__ if name != "id"}
        | {"search_text": bindparam("text")}
    )
    .returning(*_TICKET),
    Ticket,
)
_SUBJECTS = Query(
    select(support_tickets.c.id, support_tickets.c.subject)
    .where(support_tickets.c.customer_id == bindparam("customer"))
    .order_by(support_tickets.c.id)
)
_SET_SEARCH_TEXT = Query(update(support_tickets).where(_THIS).values(search_text=bindparam("text")))
_LOCK = Query(select(*_TICKET).where(_THIS).with_for_update(), Ticket)
_ENTRY = Query(
    select(*ENTRY)
    .join(customers, customers.c.id == support_tickets.c.customer_id)
    .outerjoin(users, users.c.id == support_tickets.c.assigned_to_id)
    .where(_THIS),
    TicketEntry,
)
_SET = Query(update(support_tickets).where(_THIS).values({name: bindparam(name) for name in _CHANGING}))
_ADD_MESSAGE = Query(
    insert(ticket_messages)
    .values({name: bindparam(name) for name in TicketMessage.__struct_fields__ if name != "id"})
    .returning(*_MESSAGE),
    TicketMessage,
)
_MESSAGES = Query(
    select(*_MESSAGE)
    .where(ticket_messages.c.ticket_id == bindparam("ticket"), ticket_messages.c.id < bindparam("end"))
    .order_by(ticket_messages.c.id.desc())
    .limit(bindparam("size")),
    TicketMessage,
)
_NO_END = 2**62


async def add(tx: Transaction, ticket: Ticket, customer: Customer) -> Ticket:
    """Stores a new ticket and assigns its id."""
    values = msgspec.structs.asdict(ticket)
    del values["id"]
    (added,) = await tx.all(_ADD, **values, text=search_text(ticket.subject, customer.name, customer.email))
    return added


async def set_customer(tx: Transaction, customer: Customer) -> None:
    """Updates the search text of the customer's tickets."""
    tickets = await tx.all(_SUBJECTS, customer=customer.id)
    if tickets:
        rows = [
            {"ticket": ticket_id, "text": search_text(subject, customer.name, customer.email)}
            for ticket_id, subject in tickets
        ]
        await tx.execute_many(_SET_SEARCH_TEXT, rows)


async def get_for_update(tx: Transaction, ticket_id: int) -> Ticket | None:
    """Locked until the transaction ends: two operations on one ticket run one after the other."""
    return await tx.one(_LOCK, ticket=ticket_id)


async def get(tx: Transaction, ticket_id: int) -> TicketEntry | None:
    return await tx.one(_ENTRY, ticket=ticket_id)


async def save(tx: Transaction, before: Ticket, after: Ticket) -> None:
    """Writes a step of a ticket, and counts it."""
    if after == before:
        return
    await tx.run(_SET, ticket=after.id, **{name: getattr(after, name) for name in _CHANGING})
    tx.totals.count("tickets", before, after)


async def add_message(
    tx: Transaction,
    ticket_id: int,
    author_type: AuthorType,
    author_name: str,
    body: str,
    now: Instant,
    *,
    user_id: int | None = None,
    is_internal: bool = False,
) -> TicketMessage:
    (message,) = await tx.all(
        _ADD_MESSAGE,
        ticket_id=ticket_id,
        author_type=author_type,
        user_id=user_id,
        author_name=author_name,
        body=body,
        is_internal=is_internal,
        created_at=now,
    )
    return message


async def messages(tx: Transaction, ticket_id: int, before: int | None, size: int) -> list[TicketMessage]:
    """The newest messages before one, in chronological order: a ticket may have thousands."""
    rows = await tx.all(_MESSAGES, ticket=ticket_id, end=_NO_END if before is None else before, size=size)
    return rows[::-1]
