"""Changes of a customer: edited, blocked and unblocked, exported, erased."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from lootkeep.console import forms
from lootkeep.console.customers import show_customer
from lootkeep.console.forms import Field
from lootkeep.console.labels import options
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.customers import MAX_NOTE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS, MailboxStatus
from lootkeep.kernel.errors import existing
from lootkeep.services import customers as customers_service
from lootkeep.services import privacy as privacy_service
from lootkeep.storage import customers as customers_db

FORM = (
    Field("name", "Name", forms.text(), is_required=True),
    Field("email", "E-mail", forms.EMAIL, is_required=True),
    Field("country", "Country", forms.COUNTRY, "Two letters, such as KR."),
    Field(
        "tags", "Tags", forms.words(MAX_TAGS, MAX_TAG_LENGTH), "With commas between. Lists and campaigns go by them."
    ),
    Field("note", "Note", forms.text(MAX_NOTE_LENGTH, "textarea"), "For staff only."),
    Field("accepts_marketing", "Campaigns", forms.yes_or_no("Accepts", "Declines"), "A change’s time is recorded."),
    Field("email_status", "Mailbox", forms.choice(options(MailboxStatus))),
)
_REASON = forms.text(MAX_NOTE_LENGTH)


async def show_form(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        customer = existing(await customers_db.get(tx, visit.id), "Customer")
    text = "What you change here, the store sees too."
    return forms.show(visit, FORM, customer, title=f"Edit {customer.name}", text=text, back=f"/customers/{visit.id}")


async def edit(visit: Visit) -> Answer:
    changes = forms.read(visit, FORM)
    return await _change(visit, changes | {"tags": msgspec.json.encode(changes["tags"] or []).decode()}, "Saved.")


async def block(visit: Visit) -> Answer:
    changes = forms.read(visit, [Field("status_reason", "Reason", _REASON, is_required=True)])
    return await _change(visit, changes | {"status": "blocked"}, "The customer cannot order any more.")


async def unblock(visit: Visit) -> Answer:
    changes = forms.read(visit, [Field("status_reason", "Reason", _REASON)])
    return await _change(visit, changes | {"status": "active"}, "The customer can order again.")


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
    old, new = ({name: getattr(customer, name) for name in changes} for customer in (before, after))
    return Done(url(f"/customers/{visit.id}"), message, record, old, new)


_CUSTOMER = ("customer.html", show_customer)
_ERASE = (
    "The personal data of this customer goes, wherever it is stored, and cannot be brought back. Orders, totals and "
    "fraud evidence stay under a pseudonym. Active subscriptions are cancelled."
)

PAGES = (
    *forms.rows("/customers/{id}/edit", "Edit a customer", show_form, edit, "Change a customer"),
    change("/customers/{id}/block", "Block a customer", block, _CUSTOMER),
    change("/customers/{id}/unblock", "Unblock a customer", unblock, _CUSTOMER),
    Page("GET", "/customers/{id}/export", "staff", "Export a customer", export),
    change("/customers/{id}/erase", privacy_service.ERASE, erase, confirm=_ERASE, role="owner", is_foreign=True),
)
