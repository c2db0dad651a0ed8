"""The store's own fraud lists: their entries, with reason, author and end."""

from __future__ import annotations

from typing import get_args

from lootkeep.console import lists
from lootkeep.console.forms import Form
from lootkeep.console.lists import Column, ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.named_lists import MAX_VALUE
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import InvalidFields, existing, invalid
from lootkeep.services import fraud_named_lists
from lootkeep.storage import accounts, fraud_entries

ENTRIES = ListPage(
    fraud_entries.ENTRIES,
    columns=(
        Column("Entry", lambda entry: entry.value),
        Column("Reason", lambda entry: entry.reason),
        Column("Added by", lambda entry: entry.added_by),
        Column("Ends", lambda entry: iso(entry.expires_at) if entry.expires_at else None),
        Column("Added", lambda entry: iso(entry.created_at), is_number=True),
    ),
    empty="The list is empty.",
    file="fraud-list",
    linked={"value": ("Entry", str)},
    has_dates=False,
)
KINDS = get_args(ListKind)


async def show_list(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        fraud_list = existing(await fraud_entries.get(tx, visit.id), "Fraud list")
        people = {person.id: person.name for person in await accounts.people(tx)}
    answer = await lists.show(visit, ENTRIES, list_id=visit.id)
    if not isinstance(answer, dict):
        return answer
    return answer | {"fraud_list": fraud_list, "people": people, "title": fraud_list.name}


async def create_list(visit: Visit) -> Answer:
    form = Form(visit)
    name, kind, note = form.required("name", 50), form.choice("kind", KINDS), form.text("note", 1000)
    form.check()
    if not fraud_named_lists.is_name(name):
        raise invalid("name", "This must be lower-case letters, digits and underscores.")
    added = await fraud_named_lists.create(visit.deps, name, kind, note)  # type: ignore[arg-type]
    return Done(
        url(f"/fraud/named-lists/{added.id}"), f"The list @{name} is created.", "setting:fraud", None, {name: kind}
    )


async def delete_list(visit: Visit) -> Answer:
    removed = await fraud_named_lists.delete(visit.deps, visit.id)
    change = {removed.name: removed.kind}
    return Done(url("/fraud/lists"), f"The list @{removed.name} is deleted.", "setting:fraud", change, None)


async def add_entry(visit: Visit) -> Answer:
    form = Form(visit)
    value, reason, ends = form.required("value", MAX_VALUE), form.text("reason", 1000), form.day("expires_at")
    form.check()
    try:
        fraud_list = await fraud_named_lists.add_entries(visit.deps, visit.id, [value], reason, ends, visit.user.id)
    except InvalidFields as wrong:
        # The form has one entry.
        fields = {("value" if name == "values.0" else name): texts for name, texts in (wrong.fields or {}).items()}
        raise InvalidFields(fields) from None
    return Done(
        url(f"/fraud/named-lists/{visit.id}"), "The entry is added.", "setting:fraud", None, {fraud_list.name: value}
    )


async def remove_entry(visit: Visit) -> Answer:
    value = await fraud_named_lists.remove_entry(visit.deps, visit.id, visit.form.get("value", ""))
    change = {"entry": value}
    return Done(url(f"/fraud/named-lists/{visit.id}"), "The entry is removed.", "setting:fraud", change, None)


_PAGE = "fraud_named_list.html"

PAGES = (
    Page("GET", "/fraud/named-lists/{id}", "read_only", "Fraud list", show_list, _PAGE, under="/fraud"),
    Page("POST", "/fraud/named-lists", "staff", "Create a fraud list", create_list, under="/fraud"),
    Page(
        "POST",
        "/fraud/named-lists/{id}/delete",
        "staff",
        "Delete a fraud list",
        delete_list,
        under="/fraud",
        confirm="The list is deleted with all of its entries.",
    ),
    Page(
        "POST",
        "/fraud/named-lists/{id}/add",
        "staff",
        "Add to a fraud list",
        add_entry,
        _PAGE,
        under="/fraud",
        again=show_list,
    ),
    Page("POST", "/fraud/named-lists/{id}/remove", "staff", "Remove from a fraud list", remove_entry, under="/fraud"),
)
