"""Fraud lists: those of every store, and the store's own with their entries."""

from __future__ import annotations

from collections.abc import Mapping

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, DAY, Column
from lootkeep.console.formats import options
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.fraud.countries import HIGH_RISK, SANCTIONED
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.lists import MAX_VALUE
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.kernel.errors import InvalidFields, NotFound, existing, invalid
from lootkeep.services import fraud as fraud_service, fraud_lists as fraud_lists_service
from lootkeep.storage import settings as settings_db
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.fraud import lists as fraud_lists_db

# The entries of a list that are shown; the search finds the others.
MAX_SHOWN = 100
_IP = forms.parsed(identity_rules.address, "This is not an IP address.")
_EMAIL = Field("emails", "E-mail", forms.EMAIL, is_required=True, placeholder="jun@example.com")
_ADDRESS = Field("addresses", "IP address", _IP, is_required=True, placeholder="203.0.113.9")
_COUNTRY = Field("countries", "Country", forms.COUNTRY, is_required=True)
_ALLOWED = "Orders of these are always allowed."
_BLOCKED = "Orders from these countries, by IP address or billing country, are always blocked."
# The lists of every store by the name of their path: the setting, title, text, and an entry as people enter it.
LISTS: Mapping[str, tuple[fraud_service.ListName, str, str, Field]] = {
    "emails": ("fraud_whitelisted_emails", "Trusted e-mails", _ALLOWED, _EMAIL),
    "addresses": ("fraud_whitelisted_ips", "Trusted addresses", _ALLOWED, _ADDRESS),
    "countries": ("fraud_custom_blocked_countries", "Blocked countries", _BLOCKED, _COUNTRY),
}
ENTRIES = lists.ListPage(
    listing=fraud_lists_db.ENTRIES,
    columns=(
        Column("Entry", "value"),
        Column("Reason", "reason"),
        Column("Added by", "added_by"),
        Column("Ends", "expires_at", DAY),
        Column("Added", "created_at", AGO),
    ),
    empty="The list is empty.",
    linked={"value": ("Entry", str)},
    has_dates=False,
)
NEW_LIST = (
    Field("name", "New list", forms.text(50), is_required=True, placeholder="free_mail"),
    Field("kind", "Of", forms.choice(options(ListKind))),
)
ENTRY = (
    Field("value", "Entry", forms.text(MAX_VALUE), is_required=True),
    Field("reason", "Reason", forms.text(1000)),
    Field("expires_at", "Ends on", forms.day()),
)


async def show_lists(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        counts = await fraud_lists_db.counts(tx)
        own_lists = [(item, counts.get(item.id, 0)) for item in await fraud_lists_db.all_lists(tx)]
    term = visit.query.get("search", "").strip().lower()
    masks = visit.user.permissions.masks_emails
    matching = {
        name: sorted(
            entry
            for entry in getattr(policy, setting)
            if (term in ("", entry.lower()) if masks and "@" in entry else term in entry.lower())
        )
        for name, (setting, *_) in LISTS.items()
    }
    return {
        "term": term,
        "own_lists": own_lists,
        "new_list": NEW_LIST,
        "fraud_lists": [
            (name, *texts, matching[name][:MAX_SHOWN], len(matching[name])) for name, (_, *texts) in LISTS.items()
        ],
        "sanctioned": sorted(SANCTIONED),
        "high_risk": sorted(HIGH_RISK),
    }


async def change_entries(visit: Visit) -> Answer:
    """Adds an entry to a list of every store, or removes it."""
    name, is_added = visit.request.path_params["list"], visit.page.path.endswith("/add")
    if name not in LISTS:
        raise NotFound("Page")
    setting, title, _, field = LISTS[name]
    entry = forms.read(visit, [field])[name]
    await fraud_service.change_list(visit.deps, setting, entry, is_added=is_added)
    if is_added:
        return _done("/fraud/lists", f"{entry} is on the list of {title.lower()}.", after={setting: entry})
    return _done("/fraud/lists", f"{entry} is no longer on the list of {title.lower()}.", {setting: entry})


async def show_list(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        fraud_list = existing(await fraud_lists_db.LISTS.get(tx, visit.id), "Fraud list")
        people = {person.id: person.name for person in await accounts_db.people(tx)}
    answer = await lists.show(visit, ENTRIES, list_id=visit.id)
    return answer | {"fraud_list": fraud_list, "people": people, "fields": ENTRY, "title": fraud_list.name}


async def create_list(visit: Visit) -> Answer:
    values = forms.read(visit, NEW_LIST)
    name, kind = values["name"], values["kind"]
    if not fraud_lists_service.is_name(name):
        raise invalid("name", "This must be lower-case letters, digits and underscores.")
    fraud_list = await fraud_lists_service.create(visit.deps, name, kind, None)
    return _done(f"/fraud/named-lists/{fraud_list.id}", f"The list @{name} is created.", after={name: kind})


async def delete_list(visit: Visit) -> Answer:
    removed = await fraud_lists_service.delete(visit.deps, visit.id)
    return _done("/fraud/lists", f"The list @{removed.name} is deleted.", {removed.name: removed.kind})


async def add_entry(visit: Visit) -> Answer:
    value, reason, ends = forms.read(visit, ENTRY).values()
    try:
        added_to = await fraud_lists_service.add_entries(visit.deps, visit.id, [value], reason, ends, visit.user.id)
    except InvalidFields as wrong:
        # The form has one entry.
        texts = [text.replace("values.0", "value") for text in (wrong.fields or {}).get("values.0", ())]
        raise InvalidFields({"value": texts} if texts else wrong.fields or {}) from None
    return _done(f"/fraud/named-lists/{visit.id}", "The entry is added.", after={added_to.name: value})


async def remove_entry(visit: Visit) -> Answer:
    value = await fraud_lists_service.remove_entry(visit.deps, visit.id, visit.form.get("value", ""))
    return _done(f"/fraud/named-lists/{visit.id}", "The entry is removed.", {"entry": value})


def _done(path: str, message: str, before: Mapping[str, str] = {}, after: Mapping[str, str] = {}) -> Done:
    return Done(url(path), message, f"setting:{SETTINGS}", before, after)


_DELETED = "The list is deleted with all of its entries."

PAGES = (
    Page("GET", "/fraud/lists", "fraud:read", "Fraud lists", show_lists, "fraud_lists.html"),
    change("/fraud/lists/{list}/add", "fraud:write", "Add to a fraud list", change_entries),
    change("/fraud/lists/{list}/remove", "fraud:write", "Remove from a fraud list", change_entries),
    Page("GET", "/fraud/named-lists/{id}", "fraud:read", "Fraud list", show_list, "fraud_list.html"),
    change("/fraud/lists", "fraud:write", "Create a fraud list", create_list),
    change("/fraud/named-lists/{id}/delete", "fraud:write", "Delete a fraud list", delete_list, confirm=_DELETED),
    change("/fraud/named-lists/{id}/add", "fraud:write", "Add to a fraud list", add_entry),
    change("/fraud/named-lists/{id}/remove", "fraud:write", "Remove from a fraud list", remove_entry),
)
