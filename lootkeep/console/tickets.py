"""Support tickets: the list, and one ticket as a conversation with what staff can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

from markupsafe import escape

from lootkeep.console import lists
from lootkeep.console.labels import label
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, lock, url
from lootkeep.domain.support_tickets import (
    MAX_MESSAGE_LENGTH,
    STEPS,
    Ticket,
    TicketCategory,
    TicketMessage,
    TicketPriority,
    TicketStatus,
)
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import support_tickets as support_tickets_service
from lootkeep.storage import access as access_db
from lootkeep.storage import customers as customers_db
from lootkeep.storage import support_tickets as tickets_db
from lootkeep.storage import ticket_lists

_MAX_MESSAGES = 50
# So that a page stays small, whatever was written.
_MAX_MESSAGE_BYTES = 60_000

_STATUSES = {name: label(name) for name in get_args(TicketStatus)}
_PRIORITIES = {name: label(name) for name in get_args(TicketPriority)}

TICKETS = ListPage(
    ticket_lists.LISTING,
    columns=(
        Column("Ticket", lambda ticket: ticket.number),
        Column("Subject", lambda ticket: ticket.subject),
        Column("Customer", lambda ticket: ticket.customer_name),
        Column("Status", lambda ticket: label(ticket.status)),
        Column("Priority", lambda ticket: label(ticket.priority)),
        Column("Assigned to", lambda ticket: ticket.assigned_to_name),
        Column("Last message", lambda ticket: iso(ticket.last_message_at), "last_message_at", is_number=True),
        Column("Opened", lambda ticket: iso(ticket.created_at), "created_at", is_number=True),
    ),
    empty="Tickets appear here as customers open them through the store.",
    file="tickets",
    choices=(
        Choice("status", "Status", _STATUSES, is_open=True),
        Choice("unassigned", "Assigned", {"yes": "Unassigned"}, lambda value: value == "yes", is_open=True),
        Choice("priority", "Priority", _PRIORITIES),
        Choice("category", "Category", {name: label(name) for name in get_args(TicketCategory)}),
    ),
    linked={"agent": ("Assigned to user", int), "customer_id": ("Customer", int), "order_id": ("Order", int)},
    search="Number, subject, name or e-mail",
)


async def show_ticket(visit: Visit) -> Answer:
    before = visit.query.get("before", "")
    async with visit.deps.db.read() as tx:
        ticket = existing(await tickets_db.entry(tx, visit.id), "Ticket")
        end = int(before) if before.isascii() and before.isdigit() and len(before) < 18 else None
        # One more than is shown says whether there are earlier ones.
        messages = await tickets_db.messages(tx, visit.id, end, _MAX_MESSAGES + 1)
        customer = await customers_db.get(tx, ticket.customer_id)
        users = await access_db.all_users(tx)
    shown = _fitting(messages)
    return {
        "ticket": ticket,
        "customer": customer,
        "messages": shown,
        "earlier": shown[0].id if shown and len(shown) < len(messages) else None,
        "agents": {"": "Nobody"} | {str(user.id): user.name for user in users},
        "priorities": _PRIORITIES,
        "steps": [status for status in STEPS[ticket.status] if status != "closed"],
        "max_length": MAX_MESSAGE_LENGTH,
        "title": f"{ticket.number} {ticket.subject}",
    }


async def reply(visit: Visit) -> Answer:
    before = await lock(visit, tickets_db.get_for_update, "Ticket")
    _, after = await support_tickets_service.answer(visit.deps, visit.id, visit.user.id, _message(visit))
    return _done(before, after, "Your reply is on its way to the customer.")


async def note(visit: Visit) -> Answer:
    before = await lock(visit, tickets_db.get_for_update, "Ticket")
    _, after = await support_tickets_service.note(visit.deps, visit.id, visit.user.id, _message(visit))
    return _done(before, after, "The note is saved. Customers never see notes.")


async def close(visit: Visit) -> Answer:
    before = await lock(visit, tickets_db.get_for_update, "Ticket")
    body = _message(visit) if visit.text("message") else None
    after = await support_tickets_service.close(visit.deps, visit.id, visit.user.id, body)
    return _done(before, after, f"{before.number} is closed.")


async def set_status(visit: Visit) -> Answer:
    before = await lock(visit, tickets_db.get_for_update, "Ticket")
    status = visit.form.get("status", "")
    if status not in _STATUSES:
        raise invalid("status", "Choose one of the statuses.")
    after = await support_tickets_service.set_status(visit.deps, visit.id, visit.user.id, cast(TicketStatus, status))
    return _done(before, after, f"{before.number} is {label(status).lower()}.")


async def set_priority(visit: Visit) -> Answer:
    before = await lock(visit, tickets_db.get_for_update, "Ticket")
    priority = visit.form.get("priority", "")
    if priority not in _PRIORITIES:
        raise invalid("priority", "Choose one of the priorities.")
    after = await support_tickets_service.set_priority(
        visit.deps, visit.id, visit.user.id, cast(TicketPriority, priority)
    )
    return _done(before, after, f"The priority of {before.number} is {priority}.")


async def assign(visit: Visit) -> Answer:
    before = await lock(visit, tickets_db.get_for_update, "Ticket")
    agent = visit.form.get("user_id", "")
    if agent and not (agent.isascii() and agent.isdigit() and len(agent) < 18):
        raise invalid("user_id", "Choose one of the users.")
    after = await support_tickets_service.assign(visit.deps, visit.id, visit.user.id, int(agent) if agent else None)
    return _done(before, after, f"{before.number} is assigned to {after.assigned_to_name or 'nobody'}.")


def _message(visit: Visit) -> str:
    message = visit.text("message")
    if message is None:
        raise invalid("message", "Write a message first.")
    if len(message) > MAX_MESSAGE_LENGTH:
        raise invalid("message", f"The message must not be longer than {MAX_MESSAGE_LENGTH:,} characters.")
    return message


def _fitting(messages: Sequence[TicketMessage]) -> list[TicketMessage]:
    """The newest messages that fit on a page, at least one of them."""
    shown: list[TicketMessage] = []
    size = 0
    for message in reversed(messages[-_MAX_MESSAGES:]):
        size += len(escape(message.body).encode())
        if shown and size > _MAX_MESSAGE_BYTES:
            break
        shown.insert(0, message)
    return shown


def _done(before: Ticket, after: Ticket, message: str) -> Done:
    return Done(url(f"/tickets/{before.id}"), message, f"ticket:{before.id}", _audited(before), _audited(after))


def _audited(ticket: Ticket) -> dict[str, object]:
    return {
        "status": ticket.status,
        "priority": ticket.priority,
        "assigned_to": ticket.assigned_to_id,
        "messages": ticket.messages_count,
    }


_TICKET = ("ticket.html", show_ticket)

PAGES = (
    Page("GET", "/tickets", "read_only", "Tickets", lists.page_of(TICKETS), "tickets.html", group="Support"),
    Page("GET", "/tickets/{id}", "read_only", "Ticket", show_ticket, "ticket.html"),
    change("/tickets/{id}/reply", "Reply to a ticket", reply, _TICKET),
    change("/tickets/{id}/note", "Add a note to a ticket", note, _TICKET),
    change("/tickets/{id}/close", "Close a ticket", close, _TICKET),
    change("/tickets/{id}/status", "Set the status of a ticket", set_status, _TICKET),
    change("/tickets/{id}/priority", "Set the priority of a ticket", set_priority, _TICKET),
    change("/tickets/{id}/assign", "Assign a ticket", assign, _TICKET),
)
