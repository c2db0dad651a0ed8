"""Canned replies: the list, the form with a preview in the words of a real ticket, and inserting one into a reply."""

from __future__ import annotations

from typing import Any

from lootkeep.console import forms, guard, lists
from lootkeep.console.columns import AGO, NAME, Cell, Column
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Handler, Page, Visit, url
from lootkeep.console.records import DELETED, Record
from lootkeep.console.tickets import show_ticket
from lootkeep.domain import canned_replies as canned_replies_rules, inputs as inputs_rules
from lootkeep.domain.canned_replies import MAX_BODY_LENGTH, MAX_NAME_LENGTH, VARIABLES, CannedReply, written
from lootkeep.domain.roles import Scope
from lootkeep.kernel.errors import Unprocessable
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import canned_replies as canned_replies_service
from lootkeep.storage.tickets import canned_replies as canned_replies_db, lists as ticket_lists_db

# How a text begins, in the list.
_SHOWN = 160
# What a preview shows in a store without tickets.
_SAMPLE = {
    "customer_name": "Jun Park",
    "ticket_number": "TKT-000001",
    "order_number": "ORD-000001",
    "product": "VIP rank",
}
_BODY = Cell(lambda body, row, visit: NAME.html(body[:_SHOWN], row, visit), css="name muted")
REPLIES = lists.ListPage(
    listing=canned_replies_db.LISTING,
    columns=(
        Column("Name", "name", NAME, "name"),
        Column("Text", "body", _BODY),
        Column("Changed", "updated_at", AGO),
    ),
    link=lambda reply: f"/tickets/replies/{reply.id}/edit",
    links=(lists.Link("/tickets/replies/new", "New canned reply", key="n"),),
    text="Answers that are written once, and filled in for each ticket.",
    empty="Write the first answer that you give again and again. Tickets then offer it above their reply.",
    has_dates=False,
    order="asc",
)
REPLY = Record[CannedReply]("Canned reply", "/tickets/replies", canned_replies_db.ROWS, ("name", "body"))
_VARIABLES = f"Variables: {', '.join(map(written, VARIABLES))}."
FORM = (
    Field("name", "Name", forms.text(MAX_NAME_LENGTH), is_required=True, placeholder="Key was used before"),
    Field("body", "Text", forms.text(MAX_BODY_LENGTH, "tall"), _VARIABLES, is_required=True),
)


async def show_new(visit: Visit) -> Answer:
    return await _form(visit, None, "/tickets/replies/new", title="New canned reply", submit="Create")


async def show_edit(visit: Visit) -> Answer:
    reply, path = await REPLY.get(visit), f"/tickets/replies/{visit.id}"
    actions = [("/tickets/replies/{id}/delete", "Delete…", "danger-text")]
    return await _form(visit, reply, f"{path}/edit", title=f"Edit {reply.name}", actions=actions)


async def _form(visit: Visit, reply: CannedReply | None, path: str, **page: Any) -> Answer:
    """With what the text says in the newest ticket."""
    body = visit.form.get("body", reply.body if reply else "")
    wrong = canned_replies_rules.check_variables(body)
    if wrong and visit.form:
        visit.errors = {"body": [wrong], **visit.errors}
    newest = ListRequest(PageRequest(1, 1), {})
    async with visit.deps.db.read() as tx:
        tickets, _ = await ticket_lists_db.LISTING.page(tx, newest)
        values = dict(_SAMPLE)
        for ticket in tickets:
            values = await canned_replies_service.values_of(visit.deps, tx, ticket.id, visit.user.id)
    own = {"store_name": visit.options.store_name, "agent_name": visit.user.name}
    preview = {
        "to": url(f"{path}/preview"),
        "text": canned_replies_rules.fill(body, own | values),
        "of": f"as in {values['ticket_number']}" if tickets else "with made-up values",
        "missing": canned_replies_rules.check_values(body, own | values),
    }
    return forms.show(visit, FORM, reply, back="/tickets/replies", to=url(path), preview=preview, **page)


async def create(visit: Visit) -> Answer:
    reply = await canned_replies_service.create(visit.deps, **forms.read(visit, FORM))
    return REPLY.done(f"“{reply.name}” is created. Tickets offer it from now on.", None, reply)


async def save(visit: Visit) -> Answer:
    before = await REPLY.lock(visit)
    after = await canned_replies_service.change(visit.deps, visit.id, forms.read(visit, FORM))
    return REPLY.saved(visit, FORM, "The canned reply is saved.", before, after)


async def insert(visit: Visit) -> Answer:
    """The ticket again, with the reply after what was typed; nothing is sent yet."""
    reply_id = inputs_rules.integer(visit.form.get("canned_id", "")) or 0
    async with visit.deps.db.read() as tx:
        reply = await canned_replies_db.ROWS.get(tx, reply_id)
        if reply is None:
            raise Unprocessable("no_reply", "Choose a canned reply first.")
        values = await canned_replies_service.values_of(visit.deps, tx, visit.id, visit.user.id)
    typed = visit.form.get("message", "").rstrip()
    text = canned_replies_rules.fill(reply.body, values)
    visit.form = {"message": f"{typed}\n\n{text}" if typed else text}
    missing = canned_replies_rules.check_values(reply.body, values)
    answer = {**await show_ticket(visit), "is_written": True}
    return answer | ({"message": guard.Message("warn", f"{missing} Write it yourself.")} if missing else {})


_WRITE: Scope = "support-tickets:write"
_NEW, _EDIT = "/tickets/replies/new", "/tickets/replies/{id}/edit"


def _preview(path: str, handler: Handler) -> Page:
    return Page("POST", f"{path}/preview", _WRITE, "Preview a reply", handler, "form.html", is_preview=True)


PAGES = (
    lists.page("/tickets/replies", "support-tickets:read", "Canned replies", REPLIES),
    *forms.rows(_NEW, _WRITE, "New canned reply", show_new, create, "Create a canned reply"),
    *forms.rows(_EDIT, _WRITE, "Edit a canned reply", show_edit, save),
    _preview(_NEW, show_new),
    _preview(_EDIT, show_edit),
    REPLY.change(
        "/tickets/replies/{id}/delete",
        _WRITE,
        "Delete a canned reply",
        canned_replies_service.delete,
        DELETED,
        "Tickets do not offer it any more. What was sent with it stays.",
    ),
    Page("POST", "/tickets/{id}/insert", _WRITE, "Insert a canned reply", insert, "ticket.html", is_preview=True),
)
