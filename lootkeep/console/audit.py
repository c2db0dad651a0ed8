"""The audit log: who changed what, with the values before and after, and from where."""

from __future__ import annotations

from collections.abc import Callable

from lootkeep.console import lists
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.kernel.clock import iso
from lootkeep.storage import accounts as accounts_db
from lootkeep.storage import audit as audit_db

# The pages of records, by how the log names them.
_PAGES = {
    "order": "/orders/{id}",
    "customer": "/customers/{id}",
    "webhook": "/webhooks/{id}",
    "user": "/users/{id}",
    "ticket": "/tickets/{id}",
    "gift_card": "/gift-cards/{id}",
    "delivery": "/deliveries/{delivery_id}",
}


async def list_entries(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        people = await accounts_db.people(tx)
    spec = ListPage(
        audit_db.LISTING,
        columns=(
            Column("When", lambda entry: iso(entry.created_at), "created_at"),
            Column("Who", lambda entry: entry.who),
            Column("What", lambda entry: entry.action),
            Column("Record", lambda entry: entry.record),
            Column("Changes", lambda entry: "; ".join(f"{name}: {a} → {b}" for name, a, b in entry.changes)),
            Column("From", lambda entry: entry.ip_address, is_number=True),
        ),
        empty="Every change that somebody makes in the console is recorded here, and who signs in or fails to.",
        file="audit",
        choices=(Choice("user_id", "Who", {str(person.id): person.name for person in people}, int),),
        linked={"record": ("Record", str), "action": ("Action", str)},
    )
    listed = await lists.show(visit, spec)
    return listed | {"record_page": record_page} if isinstance(listed, dict) else listed


def record_page(record: str, has_page: Callable[[str], bool]) -> str | None:
    """The path of the page of a record such as `order:12`, where there is one."""
    kind, _, key = record.partition(":")
    path = _PAGES.get(kind)
    return path.split("{")[0] + key if path and has_page(path) and key not in ("", "unknown") else None


PAGES = (Page("GET", "/audit", "owner", "Audit log", list_entries, "audit.html", group="Store"),)
