"""Support tickets: the list, and one ticket as a conversation with what staff can do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import escape

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, CODE, NAME, Column
from lootkeep.console.formats import label, options
from lootkeep.console.forms import Field
from lootkeep.console.page import Done, Page, Visit, change
from lootkeep.console.records import Record
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.tickets import (
    MAX_MESSAGE_LENGTH,
    STEPS,
    Ticket,
    TicketCategory,
    TicketMessage,
    TicketPriority,
    TicketStatus,
)
from lootkeep.kernel.errors import existing
from lootkeep.services import canned_replies as canned_replies_service, tickets as tickets_service
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.tickets import canned_replies as canned_replies_db, lists as ticket_lists_db, rows as tickets_db

_MAX_MESSAGES = 50
# So that a page stays small, whatever was written.
_MAX_MESSAGE_BYTES = 60_000

# What the list begins with; the navigation counts the same.
WAITING = {"status": "open"}
TICKETS = lists.ListPage(
    listing=ticket_lists_db.LISTING,
    columns=(
        Column("Ticket", "number", CODE),
        Column("Subject", "subject", NAME),
        Column("Customer", "customer_name", NAME),
        Column("Status", "status", BADGE),
        Column("Priority", "priority", BADGE),
        Column("Assigned to", "assigned_to_name", NAME),
        Column("Opened", "created_at", AGO, "created_at", is_extra=True),
        Column("Last message", "last_message_at", AGO, "last_message_at"),
    ),
    exported=(
        Column("Id", "id"),
        Column("Customer id", "customer_id"),
        Column("E-mail", "customer_email"),
        Column("Order id", "order_id"),
    ),
    link=lambda ticket: f"/tickets/{ticket.id}",
    news="ticket",
    links=(
        lists.Link("/tickets/replies", "Canned replies", ""),
        lists.Link("/tickets", "Mine", "", query="?agent={user}"),
    ),
    text="Open tickets are waiting for a reply.",
    empty="No customer is waiting for a reply. Tickets appear here when customers open them through the store.",
    first=WAITING,
    choices=(
        lists.Choice("status", "Status", options(TicketStatus) | {lists.ANY: "All"}, is_open=True),
        lists.Choice("unassigned", "Assigned", {"yes": "Unassigned"}, lists.is_yes, is_open=True),
        lists.Choice("priority", "Priority", options(TicketPriority)),
        lists.Choice("category", "Category", options(TicketCategory)),
    ),
    linked={
        "agent": ("Assigned to user", inputs_rules.record_id),
        "customer_id": ("Customer", inputs_rules.record_id),
        "order_id": ("Order", inputs_rules.record_id),
    },
    search="Number, subject, name or e-mail",
    bulk="tickets",
    bulk_path="/tickets/bulk",
)
TICKET = Record[Ticket](
    "Ticket", "/tickets/{id}", tickets_db.ROWS, ("status", "priority", "assigned_to_id", "messages_count")
)
LAST_MESSAGE = Field("message", "Write", forms.text(MAX_MESSAGE_LENGTH, "textarea"))
MESSAGE = replace(LAST_MESSAGE, kind=replace(LAST_MESSAGE.kind, missing="Write a message first."), is_required=True)
STATUS = Field("status", "Status", forms.choice(options(TicketStatus)))
AGENT = Field("user_id", "Assigned to", forms.ID)
PRIORITY = Field("priority", "Priority", forms.choice(options(TicketPriority)))


async def show_ticket(visit: Visit) -> dict[str, Any]:
    before = visit.query.get("before", "")
    async with visit.deps.db.read() as tx:
        ticket = existing(await tickets_db.get(tx, visit.id), "Ticket")
        # One more than is shown says whether there are earlier ones.
        messages = await tickets_db.messages(tx, visit.id, inputs_rules.integer(before), _MAX_MESSAGES + 1)
        customer = await customers_db.ROWS.get(tx, ticket.customer_id)
        users = await access_db.STAFF.find(tx)
        replies = await canned_replies_db.names(tx)
    newest = _fitting(messages)
    agents = {"": "Nobody"} | {str(user.id): user.name for user in users}
    return {
        "ticket": ticket,
        "customer": customer,
        "messages": newest,
        "earlier": newest[0].id if newest and len(newest) < len(messages) else None,
        "whole": {str(message.id): message.body for message in newest},
        "message_field": LAST_MESSAGE,
        "replies": replies,
        "is_written": False,
        "handling": {
            "assign": (Field("user_id", "Assigned to", forms.choice(agents)), str(ticket.assigned_to_id or "")),
            "priority": (PRIORITY, ticket.priority),
        },
        "steps": [status for status in STEPS[ticket.status] if status != "closed"],
        "title": f"{ticket.number} {ticket.subject}",
    }


def _step(
    path: str,
    title: str,
    field: Field,
    operation: Callable[..., Awaitable[Any]],
    message: str,
    *,
    is_public: bool = False,
) -> Page:
    """The row of a change: the operation gets who makes it and what the form holds in its field.

    What is public is e-mailed to the customer.
    """

    async def handler(visit: Visit) -> Done:
        before = await TICKET.lock(visit)
        value = forms.read(visit, [field])[field.name]
        if is_public and value:
            value = await canned_replies_service.fill(visit.deps, visit.id, visit.user.id, value)
        changed = await operation(visit.deps, visit.id, visit.user.id, value)
        # What writes a message gives that, too.
        after = changed[1] if isinstance(changed, tuple) else changed
        assigned, status = after.assigned_to_name or "nobody", label(after.status).lower()
        text = message.format(after, assigned=assigned, status=status)
        if is_public and value and not visit.deps.sends_emails:
            return TICKET.done(f"{text} {tickets_service.NOT_MAILED}".strip(), before, after, tone="warn")
        return TICKET.done(text or "Your reply is on its way to the customer.", before, after)

    return change(f"/tickets/{{id}}/{path}", "support-tickets:write", title, handler)


def _fitting(messages: Sequence[TicketMessage]) -> list[TicketMessage]:
    """The newest messages that fit on a page, at least one of them."""
    newest: list[TicketMessage] = []
    size = 0
    for message in reversed(messages[-_MAX_MESSAGES:]):
        size += len(escape(message.body).encode())
        if newest and size > _MAX_MESSAGE_BYTES:
            break
        newest.insert(0, message)
    return newest


_NOTED = "The note is saved. Customers never see notes."
_PRIORITY = "The priority of {0.number} is {0.priority}."
_ASSIGNED = "{0.number} is assigned to {assigned}."
PAGES = (
    lists.page("/tickets", "support-tickets:read", "Tickets", TICKETS, "Support"),
    Page("GET", "/tickets/{id}", "support-tickets:read", "Ticket", show_ticket, "ticket.html"),
    _step("reply", "Reply to a ticket", MESSAGE, tickets_service.answer, "", is_public=True),
    _step("note", "Add a note to a ticket", MESSAGE, tickets_service.note, _NOTED),
    _step("close", "Close a ticket", LAST_MESSAGE, tickets_service.close, "{0.number} is closed.", is_public=True),
    _step("status", "Set the status of a ticket", STATUS, tickets_service.set_status, "{0.number} is {status}."),
    _step("priority", "Set the priority of a ticket", PRIORITY, tickets_service.set_priority, _PRIORITY),
    _step("assign", "Assign a ticket", AGENT, tickets_service.assign, _ASSIGNED),
)
