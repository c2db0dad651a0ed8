"""Support tickets: the list, and one ticket as a conversation with what staff can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from markupsafe import escape

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, NAME, Column
from lootkeep.console.forms import Field
from lootkeep.console.labels import label, options
from lootkeep.console.lists import Choice, Link, ListPage, is_yes
from lootkeep.console.page import Answer, Done, Handler, Page, Visit, change
from lootkeep.console.records import Record
from lootkeep.domain import support_tickets as tickets_rules
from lootkeep.kernel.errors import existing, invalid
from lootkeep.services import support_tickets as support_tickets_service
from lootkeep.storage import access as access_db
from lootkeep.storage import customers as customers_db
from lootkeep.storage import support_tickets as tickets_db
from lootkeep.storage import ticket_lists

_MAX_MESSAGES = 50
# So that a page stays small, whatever was written.
_MAX_MESSAGE_BYTES = 60_000

TICKETS = ListPage(
    listing=ticket_lists.LISTING,
    columns=(
        Column("Ticket", "number", CODE),
        Column("Subject", "subject", NAME),
        Column("Customer", "customer_name", NAME),
        Column("Status", "status", BADGE),
        Column("Priority", "priority", BADGE),
        Column("Assigned to", "assigned_to_name", NAME),
        Column("Last message", "last_message_at", AGO, "last_message_at"),
        Column("Opened", "created_at", AGO, "created_at"),
    ),
    link=lambda ticket: f"/tickets/{ticket.id}",
    links=(Link("/tickets", "Mine", "", query="?agent={user}"),),
    empty="Tickets appear here as customers open them through the store.",
    file="tickets",
    choices=(
        Choice("status", "Status", options(tickets_rules.TicketStatus), is_open=True),
        Choice("unassigned", "Assigned", {"yes": "Unassigned"}, is_yes, is_open=True),
        Choice("priority", "Priority", options(tickets_rules.TicketPriority)),
        Choice("category", "Category", options(tickets_rules.TicketCategory)),
    ),
    linked={"agent": ("Assigned to user", int), "customer_id": ("Customer", int), "order_id": ("Order", int)},
    search="Number, subject, name or e-mail",
)
TICKET = Record("Ticket", "/tickets/{id}", tickets_db, ("status", "priority", "assigned_to_id", "messages_count"))
MESSAGE = Field("message", "Write", forms.text(tickets_rules.MAX_MESSAGE_LENGTH, "textarea"))
STATUS = Field("status", "Status", forms.choice(options(tickets_rules.TicketStatus)))
PRIORITY = Field("priority", "Priority", forms.choice(options(tickets_rules.TicketPriority)))


async def show_ticket(visit: Visit) -> Answer:
    before = visit.query.get("before", "")
    async with visit.deps.db.read() as tx:
        ticket = existing(await tickets_db.get(tx, visit.id), "Ticket")
        end = int(before) if before.isascii() and before.isdigit() and len(before) < 18 else None
        # One more than is shown says whether there are earlier ones.
        messages = await tickets_db.messages(tx, visit.id, end, _MAX_MESSAGES + 1)
        customer = await customers_db.get(tx, ticket.customer_id)
        users = await access_db.all_users(tx)
    shown = _fitting(messages)
    agents = {"": "Nobody"} | {str(user.id): user.name for user in users}
    return {
        "ticket": ticket,
        "customer": customer,
        "messages": shown,
        "earlier": shown[0].id if shown and len(shown) < len(messages) else None,
        "message_field": MESSAGE,
        "handling": {
            "assign": (Field("user_id", "Assigned to", forms.choice(agents)), str(ticket.assigned_to_id or "")),
            "priority": (PRIORITY, ticket.priority),
        },
        "steps": [status for status in tickets_rules.STEPS[ticket.status] if status != "closed"],
        "title": f"{ticket.number} {ticket.subject}",
    }


Step = Callable[[Visit], Awaitable[tuple[tickets_rules.Ticket, str]]]


def _step(step: Step) -> Handler:
    """What all changes of a ticket share; a step returns the ticket after it, and what to say."""

    async def handler(visit: Visit) -> Done:
        before = await TICKET.lock(visit)
        after, message = await step(visit)
        return TICKET.done(message, before, after)

    return handler


async def reply(visit: Visit) -> tuple[tickets_rules.Ticket, str]:
    _, after = await support_tickets_service.answer(visit.deps, visit.id, visit.user.id, _message(visit))
    return after, "Your reply is on its way to the customer."


async def note(visit: Visit) -> tuple[tickets_rules.Ticket, str]:
    _, after = await support_tickets_service.note(visit.deps, visit.id, visit.user.id, _message(visit))
    return after, "The note is saved. Customers never see notes."


async def close(visit: Visit) -> tuple[tickets_rules.Ticket, str]:
    body = _message(visit) if visit.text("message") else None
    after = await support_tickets_service.close(visit.deps, visit.id, visit.user.id, body)
    return after, f"{after.number} is closed."


async def set_status(visit: Visit) -> tuple[tickets_rules.Ticket, str]:
    status = forms.read(visit, [STATUS])["status"]
    after = await support_tickets_service.set_status(visit.deps, visit.id, visit.user.id, status)
    return after, f"{after.number} is {label(status).lower()}."


async def set_priority(visit: Visit) -> tuple[tickets_rules.Ticket, str]:
    priority = forms.read(visit, [PRIORITY])["priority"]
    after = await support_tickets_service.set_priority(visit.deps, visit.id, visit.user.id, priority)
    return after, f"The priority of {after.number} is {priority}."


async def assign(visit: Visit) -> tuple[tickets_rules.Ticket, str]:
    agent = visit.form.get("user_id", "")
    if agent and not (agent.isascii() and agent.isdigit() and len(agent) < 18):
        raise invalid("user_id", "Choose one of the users.")
    after = await support_tickets_service.assign(visit.deps, visit.id, visit.user.id, int(agent) if agent else None)
    return after, f"{after.number} is assigned to {after.assigned_to_name or 'nobody'}."


def _message(visit: Visit) -> str:
    message: Any = forms.read(visit, [MESSAGE])["message"]
    if message is None:
        raise invalid("message", "Write a message first.")
    return str(message)


def _fitting(messages: Sequence[tickets_rules.TicketMessage]) -> list[tickets_rules.TicketMessage]:
    """The newest messages that fit on a page, at least one of them."""
    shown: list[tickets_rules.TicketMessage] = []
    size = 0
    for message in reversed(messages[-_MAX_MESSAGES:]):
        size += len(escape(message.body).encode())
        if shown and size > _MAX_MESSAGE_BYTES:
            break
        shown.insert(0, message)
    return shown


_TICKET = ("ticket.html", show_ticket)

PAGES = (
    lists.page("/tickets", "Tickets", TICKETS, "Support"),
    Page("GET", "/tickets/{id}", "read_only", "Ticket", show_ticket, "ticket.html"),
    change("/tickets/{id}/reply", "Reply to a ticket", _step(reply), _TICKET),
    change("/tickets/{id}/note", "Add a note to a ticket", _step(note), _TICKET),
    change("/tickets/{id}/close", "Close a ticket", _step(close), _TICKET),
    change("/tickets/{id}/status", "Set the status of a ticket", _step(set_status), _TICKET),
    change("/tickets/{id}/priority", "Set the priority of a ticket", _step(set_priority), _TICKET),
    change("/tickets/{id}/assign", "Assign a ticket", _step(assign), _TICKET),
)
