"""Changes of a customer: edited, blocked and unblocked, exported, erased."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from starlette.responses import Response

from lootkeep.console.customers import show_customer
from lootkeep.console.forms import Form
from lootkeep.console.labels import label
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.customers import MAX_NOTE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, Customer, MailboxStatus
from lootkeep.kernel.errors import existing
from lootkeep.services import customers as customers_service
from lootkeep.services import privacy as privacy_service
from lootkeep.storage import customers as customers_db

_CONSENT = {"yes": "Accepts", "no": "Declines"}
_MAILBOX = {status: label(status) for status in get_args(MailboxStatus)}


async def show_form(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        customer = existing(await customers_db.get(tx, visit.id), "Customer")
    return {
        "customer": customer,
        "tags": ", ".join(msgspec.json.decode(customer.tags)),
        "consent": _CONSENT,
        "mailbox": _MAILBOX,
        "title": f"Edit {customer.name}",
    }


async def edit(visit: Visit) -> Answer:
    form = Form(visit)
    changes = {
        "name": form.required("name"),
        "email": form.email("email") or form.required("email"),
        "country": form.country("country"),
        "tags": msgspec.json.encode(form.words("tags", MAX_TAGS, MAX_TAG_LENGTH)).decode(),
        "note": form.text("note", MAX_NOTE_LENGTH),
        "accepts_marketing": form.choice("accepts_marketing", _CONSENT) == "yes",
        "email_status": form.choice("email_status", _MAILBOX),
    }
    form.check()
    return await _change(visit, changes, "Saved.")


async def block(visit: Visit) -> Answer:
    form = Form(visit)
    reason = form.required("status_reason", MAX_NOTE_LENGTH)
    form.check()
    return await _change(visit, {"status": "blocked", "status_reason": reason}, "The customer cannot order any more.")


async def unblock(visit: Visit) -> Answer:
    form = Form(visit)
    reason = form.text("status_reason", MAX_NOTE_LENGTH)
    form.check()
    return await _change(visit, {"status": "active", "status_reason": reason}, "The customer can order again.")


async def export(visit: Visit) -> Answer:
    data = await privacy_service.export(visit.deps, visit.id)
    name = f'attachment; filename="customer-{visit.id}.json"'
    content = msgspec.json.format(msgspec.json.encode(data))
    return Response(content, media_type="application/json", headers={"content-disposition": name})


async def erase(visit: Visit) -> Answer:
    await privacy_service.erase(visit.deps, visit.id, visit.user.id, visit.ip)
    return Done(url(f"/customers/{visit.id}"), "The personal data of this customer was erased.")


async def _change(visit: Visit, changes: dict[str, Any], message: str) -> Done:
    record = f"customer:{visit.id}"
    async with visit.deps.db.write() as tx:
        before = existing(await customers_db.get_for_update(tx, visit.id, changes.get("email")), "Customer")
    visit.check_unchanged(record, before.updated_at)
    after = await customers_service.change(visit.deps, visit.id, changes)
    to = url(f"/customers/{visit.id}")
    return Done(to, message, record, _audited(before, changes), _audited(after, changes))


def _audited(customer: Customer, changes: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(customer, name) for name in changes}


_CUSTOMER = ("customer.html", show_customer)
_ERASE = (
    "The personal data of this customer goes, wherever it is stored, and cannot be brought back. Orders, totals and "
    "fraud evidence stay under a pseudonym. Active subscriptions are cancelled."
)

PAGES = (
    Page(
        "GET", "/customers/{id}/edit", "staff", "Edit a customer", show_form, "customer_edit.html", under="/customers"
    ),
    change("/customers/{id}/edit", "Change a customer", edit, ("customer_edit.html", show_form)),
    change("/customers/{id}/block", "Block a customer", block, _CUSTOMER),
    change("/customers/{id}/unblock", "Unblock a customer", unblock, _CUSTOMER),
    Page("GET", "/customers/{id}/export", "staff", "Export a customer", export, under="/customers"),
    Page(
        "POST",
        "/customers/{id}/erase",
        "owner",
        privacy_service.ERASE,
        erase,
        under="/customers",
        confirm=_ERASE,
        is_foreign=True,
    ),
)
