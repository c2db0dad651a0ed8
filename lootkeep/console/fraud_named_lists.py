"""The store's own fraud lists: their entries, with reason, author and end."""

from __future__ import annotations

from collections.abc import Mapping

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, DAY, Column
from lootkeep.console.forms import Field
from lootkeep.console.labels import options
from lootkeep.console.lists import ListPage
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.named_lists import MAX_VALUE
from lootkeep.kernel.errors import InvalidFields, existing, invalid
from lootkeep.services import fraud_named_lists
from lootkeep.storage import accounts, fraud_entries

ENTRIES = ListPage(
    listing=fraud_entries.ENTRIES,
    columns=(
        Column("Entry", "value"),
        Column("Reason", "reason"),
        Column("Added by", "added_by"),
        Column("Ends", "expires_at", DAY),
        Column("Added", "created_at", AGO),
    ),
    empty="The list is empty.",
    file="fraud-list",
    linked={"value": ("Entry", str)},
    has_dates=False,
)
LIST = (
    Field("name", "New list", forms.text(50), is_required=True, placeholder="free_mail"),
    Field("kind", "Of", forms.choice(options(ListKind))),
)
ENTRY = (
    Field("value", "Entry", forms.text(MAX_VALUE), is_required=True),
    Field("reason", "Reason", forms.text(1000)),
    Field("expires_at", "Ends on", forms.day()),
)


async def show_list(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        fraud_list = existing(await fraud_entries.get(tx, visit.id), "Fraud list")
        people = {person.id: person.name for person in await accounts.people(tx)}
    answer = await lists.show(visit, ENTRIES, list_id=visit.id)
    return answer | {"fraud_list": fraud_list, "people": people, "fields": ENTRY, "title": fraud_list.name}


async def create_list(visit: Visit) -> Answer:
    values = forms.read(visit, LIST)
    name, kind = values["name"], values["kind"]
    if not fraud_named_lists.is_name(name):
        raise invalid("name", "This must be lower-case letters, digits and underscores.")
    added = await fraud_named_lists.create(visit.deps, name, kind, None)
    return _done(f"/fraud/named-lists/{added.id}", f"The list @{name} is created.", after={name: kind})


async def delete_list(visit: Visit) -> Answer:
    removed = await fraud_named_lists.delete(visit.deps, visit.id)
    before = {removed.name: removed.kind}
    return _done("/fraud/lists", f"The list @{removed.name} is deleted.", before)


async def add_entry(visit: Visit) -> Answer:
    values = forms.read(visit, ENTRY)
    value, ends = values["value"], values["expires_at"]
    try:
        added_to = await fraud_named_lists.add_entries(
            visit.deps, visit.id, [value], values["reason"], ends, visit.user.id
        )
    except InvalidFields as wrong:
        # The form has one entry.
        fields = {("value" if name == "values.0" else name): texts for name, texts in (wrong.fields or {}).items()}
        raise InvalidFields(fields) from None
    return _done(f"/fraud/named-lists/{visit.id}", "The entry is added.", after={added_to.name: value})


async def remove_entry(visit: Visit) -> Answer:
    value = await fraud_named_lists.remove_entry(visit.deps, visit.id, visit.form.get("value", ""))
    return _done(f"/fraud/named-lists/{visit.id}", "The entry is removed.", {"entry": value})


def _done(path: str, message: str, before: Mapping[str, str] = {}, after: Mapping[str, str] = {}) -> Done:
    return Done(url(path), message, "setting:fraud", before, after)


_LIST = ("fraud_named_list.html", show_list)
_DELETED = "The list is deleted with all of its entries."

PAGES = (
    Page("GET", "/fraud/named-lists/{id}", "read_only", "Fraud list", show_list, "fraud_named_list.html"),
    change("/fraud/named-lists", "Create a fraud list", create_list),
    change("/fraud/named-lists/{id}/delete", "Delete a fraud list", delete_list, confirm=_DELETED),
    change("/fraud/named-lists/{id}/add", "Add to a fraud list", add_entry, _LIST),
    change("/fraud/named-lists/{id}/remove", "Remove from a fraud list", remove_entry),
)
