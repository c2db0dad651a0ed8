"""Tools about support tickets."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lootkeep.domain import canned_replies as canned_replies_rules
from lootkeep.domain.canned_replies import MAX_NAME_LENGTH
from lootkeep.domain.tickets import TicketPriority
from lootkeep.kernel.errors import existing
from lootkeep.mcp.arguments import ByPage, ByTicket
from lootkeep.mcp.caller import Caller
from lootkeep.mcp.tool import Tool
from lootkeep.services import canned_replies as canned_replies_service
from lootkeep.storage.tickets import canned_replies as canned_replies_db

# Names stay variables: they are filled in when the reply is sent, so a draft has no text of a buyer.
_LATER = "customer_name"
_PLAIN = "Hello {{ customer_name }},\n\n\n\n{{ agent_name }}, {{ store_name }}"


class WaitingTickets(ByPage):
    priority: Annotated[TicketPriority | None, Field(description="Only tickets of this priority.")] = None


class Draft(ByTicket):
    canned_reply: Annotated[
        str | None, Field(max_length=MAX_NAME_LENGTH, description="The name of a canned reply to begin with.")
    ] = None


async def waiting_tickets(caller: Caller, arguments: WaitingTickets) -> Any:
    query = {"status": "open", "sort": "last_message_at", "order": "asc"}
    return await caller.page("tickets", "/support-tickets", **query, **arguments.model_dump())


async def read_ticket(caller: Caller, arguments: ByTicket) -> Any:
    return await caller.read(f"/support-tickets/{arguments.ticket}")


async def draft_reply(caller: Caller, arguments: Draft) -> Any:
    deps = caller.deps.for_reading()
    async with deps.db.read() as tx:
        values = await canned_replies_service.values_of(deps, tx, arguments.ticket, caller.token.user_id)
        names, text = await canned_replies_db.names(tx), _PLAIN
        if arguments.canned_reply is not None:
            reply = await canned_replies_db.ROWS.find_one(tx, name=arguments.canned_reply)
            text = existing(reply, "Canned reply").body
    values.pop(_LATER)
    ticket = await caller.read(f"/support-tickets/{arguments.ticket}")
    return {
        "draft": canned_replies_rules.fill(text, values),
        "canned_replies": list(names.values()),
        "ticket": ticket,
        "order": await caller.part(f"/orders/{ticket.order_id}") if ticket.order_id else None,
        "goods": await caller.part(f"/orders/{ticket.order_id}/goods") if ticket.order_id else None,
    }


TOOLS = (
    Tool(
        "waiting_tickets",
        "Support tickets that wait for the staff, the longest wait first.",
        "support-tickets:read",
        WaitingTickets,
        waiting_tickets,
    ),
    Tool(
        "read_ticket",
        "A support ticket with its newest messages, notes of the staff included.",
        "support-tickets:read",
        ByTicket,
        read_ticket,
    ),
    Tool(
        "draft_reply",
        "A draft for a reply: a canned reply filled in for the ticket, with the facts about its order. "
        "Nothing is sent; `{{ customer_name }}` is filled in when it is.",
        "support-tickets:read",
        Draft,
        draft_reply,
    ),
)
