"""Support tickets and their messages, with their maintained figures."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from lootkeep.domain.customers import Customer
from lootkeep.domain.tickets import Ticket, TicketEntry, TicketMessage
from lootkeep.kernel.search import search_text
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import customers, support_tickets, ticket_messages, users

ROWS = Rows(support_tickets, Ticket, totals="tickets", is_shown=True)
MESSAGES = Rows(ticket_messages, TicketMessage)

_THIS = support_tickets.c.id == bindparam("ticket")

# As a response shows it; the lists join the same tables to their pages.
ENTRY = columns_of(support_tickets, TicketEntry, customer=customers, assigned_to=users)

_SUBJECTS = Query(
    select(support_tickets.c.id, support_tickets.c.subject)
    .where(support_tickets.c.customer_id == bindparam("customer"))
    .order_by(support_tickets.c.id)
)
_SET_SEARCH_TEXT = Query(update(support_tickets).where(_THIS).values(search_text=bindparam("text")))
_ENTRY = Query(
    select(*ENTRY)
    .join(customers, customers.c.id == support_tickets.c.customer_id)
    .outerjoin(users, users.c.id == support_tickets.c.assigned_to_id)
    .where(_THIS),
    TicketEntry,
)
_MESSAGES = Query(
    select(*columns_of(ticket_messages, TicketMessage))
    .where(ticket_messages.c.ticket_id == bindparam("ticket"), ticket_messages.c.id < bindparam("end"))
    .order_by(ticket_messages.c.id.desc())
    .limit(bindparam("size")),
    TicketMessage,
)
_NO_END = 2**62


async def set_customer(tx: Transaction, customer: Customer) -> None:
    """Updates the search text of the customer's tickets."""
    tickets = await tx.all(_SUBJECTS, customer=customer.id)
    if tickets:
        rows = [
            {"ticket": ticket_id, "text": search_text(subject, customer.name, customer.email)}
            for ticket_id, subject in tickets
        ]
        await tx.execute_many(_SET_SEARCH_TEXT, rows)


async def get(tx: Transaction, ticket_id: int) -> TicketEntry | None:
    return await tx.one(_ENTRY, ticket=ticket_id)


async def messages(tx: Transaction, ticket_id: int, before: int | None, size: int) -> list[TicketMessage]:
    """The newest messages before one, in chronological order: a ticket may have thousands."""
    rows = await tx.all(_MESSAGES, ticket=ticket_id, end=_NO_END if before is None else before, size=size)
    return rows[::-1]
