"""The store's own lists, which its fraud rules look up, over HTTP: an extension."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lootkeep.api.external.fraud_rules import FraudNote
from lootkeep.api.http.fields import Time, field
from lootkeep.api.http.pages import PageQuery
from lootkeep.api.http.routes import (
    MAX_LARGE_BODY,
    Call,
    ExtensionRoute,
    Reply,
    many,
    only_message,
    paged,
    single,
)
from lootkeep.api.http.validation import Body
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.lists import LIST_NAME, MAX_VALUE
from lootkeep.kernel.errors import existing
from lootkeep.services import fraud_lists as fraud_lists_service
from lootkeep.storage.fraud import lists as fraud_lists_db
from lootkeep.views import fraud_rules as fraud_rules_views

_MAX_AT_ONCE = 1000

EntryValue = Annotated[str, Field(min_length=1, max_length=MAX_VALUE)]


class FraudListBody(Body):
    """A new list."""

    name: Annotated[
        str,
        field(
            "The name that rules use after an @: lower-case letters, digits and underscores.",
            "free_mail",
            pattern=f"^{LIST_NAME}$",
        ),
    ]
    kind: Annotated[ListKind, field("The kind of its entries.", "domain")]
    note: Annotated[FraudNote | None, field("What it is for.", "Mail that costs nothing.")] = None


class EntriesBody(Body):
    """Entries with the same reason and expiry."""

    values: Annotated[list[EntryValue], field("The entries.", ["example.com"], min_length=1, max_length=_MAX_AT_ONCE)]
    reason: Annotated[FraudNote | None, field("Why they are added.", "Chargebacks in May.")] = None
    expires_at: Annotated[Time | None, field("When they expire.")] = None


class EntryBody(Body):
    """An entry to remove."""

    value: Annotated[EntryValue, field("As it was sent, or in its stored form.", "example.com")]


class EntryQuery(PageQuery):
    """Which entries to list."""

    value: Annotated[str | None, field("Only this entry, in its stored form.", max_length=MAX_VALUE)] = None


async def list_fraud_lists(call: Call[None, None]) -> Reply:
    async with call.deps.db.read(slow=True) as tx:
        counts = await fraud_lists_db.counts(tx)
        lists = await fraud_lists_db.all_lists(tx)
    return Reply([fraud_rules_views.fraud_list(item, counts.get(item.id, 0)) for item in lists])


async def create_fraud_list(call: Call[FraudListBody, None]) -> Reply:
    body = call.body
    return Reply(
        fraud_rules_views.fraud_list(await fraud_lists_service.create(call.deps, body.name, body.kind, body.note), 0)
    )


async def delete_fraud_list(call: Call[None, None]) -> Reply:
    await fraud_lists_service.delete(call.deps, call.id)
    return Reply()


async def list_fraud_list_entries(call: Call[None, EntryQuery]) -> Reply:
    request = call.query.request(list_id=call.id)
    async with call.deps.db.read(slow=True) as tx:
        existing(await fraud_lists_db.LISTS.get(tx, call.id), "Fraud list")
        entries, total = await fraud_lists_db.ENTRIES.page(tx, request)
    return Reply([fraud_rules_views.entry(item) for item in entries], page=request.page, total=total)


async def add_fraud_list_entries(call: Call[EntriesBody, None]) -> Reply:
    body = call.body
    await fraud_lists_service.add_entries(
        call.deps, call.id, body.values, body.reason, body.expires_at, call.token.user_id
    )
    return Reply()


async def remove_fraud_list_entry(call: Call[EntryBody, None]) -> Reply:
    await fraud_lists_service.remove_entry(call.deps, call.id, call.body.value)
    return Reply()


ROUTES = (
    ExtensionRoute(
        "GET",
        "/fraud/lists",
        list_fraud_lists,
        "fraud:read",
        "List the store's own lists",
        many(fraud_rules_views.FraudListView),
        description="Sorted by name. Rules refer to lists by name: `email_domain in @free_mail`.",
    ),
    ExtensionRoute(
        "POST",
        "/fraud/lists",
        create_fraud_list,
        "fraud:write",
        "Create a list",
        single(fraud_rules_views.FraudListView, "Fraud list created successfully", status=201),
        description="Creates an empty list. A list has no effect until a rule uses it.",
    ),
    ExtensionRoute(
        "DELETE",
        "/fraud/lists/{id}",
        delete_fraud_list,
        "fraud:write",
        "Delete a list",
        only_message("Fraud list deleted successfully"),
        description="Deletes the list with its entries. Not possible while a rule uses it.",
        may_conflict=True,
    ),
    ExtensionRoute(
        "GET",
        "/fraud/lists/{id}/entries",
        list_fraud_list_entries,
        "fraud:read",
        "List the entries of a list",
        paged(fraud_rules_views.ListEntryView),
        description="Newest first, including expired entries.",
    ),
    ExtensionRoute(
        "POST",
        "/fraud/lists/{id}/entries",
        add_fraud_list_entries,
        "fraud:write",
        "Add entries to a list",
        only_message("Entries added to the list"),
        max_body=MAX_LARGE_BODY,
        description="An existing entry gets the new reason and expiry. An e-mail address is stored as its mailbox, an "
        "instrument as a hash.",
    ),
    ExtensionRoute(
        "DELETE",
        "/fraud/lists/{id}/entries",
        remove_fraud_list_entry,
        "fraud:write",
        "Remove an entry from a list",
        only_message("Entry removed from the list"),
        description="Removing a missing entry changes nothing.",
    ),
)
