"""The audit log: who changed what, with the values before and after, and from where."""

from __future__ import annotations

from lootkeep.console import lists
from lootkeep.console.columns import AGO, TEXT, Cell, Column
from lootkeep.console.lists import Choice, ListPage
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.storage import accounts as accounts_db
from lootkeep.storage import audit as audit_db

# The pages of records, by how the log names them.
_KINDS = ("order", "customer", "product", "campaign", "webhook", "user", "ticket", "gift_card")
_PAGES = {kind: f"/{kind.replace('_', '-')}s/" for kind in _KINDS} | {"delivery": "/deliveries/"}
_CHANGES = Cell(TEXT.html, lambda changes: "; ".join(f"{name}: {before} → {after}" for name, before, after in changes))


async def list_entries(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        people = await accounts_db.people(tx)
    spec = ListPage(
        listing=audit_db.LISTING,
        columns=(
            Column("When", "created_at", AGO, "created_at"),
            Column("Who", "who"),
            Column("What", "action"),
            Column("Record", "record"),
            Column("Changes", "changes", _CHANGES),
            Column("From", "ip_address", Cell(TEXT.html, css="number muted")),
        ),
        text="Who changed what in the console, with the values before and after.",
        empty="Every change that somebody makes in the console is recorded here, and who signs in or fails to.",
        file="audit",
        choices=(Choice("user_id", "Who", {str(person.id): person.name for person in people}, int),),
        linked={"record": ("Record", str), "action": ("Action", str)},
    )
    listed = await lists.show(visit, spec)
    return listed | {"record_page": record_page}


def record_page(record: str) -> str | None:
    """The path of the page of a record such as `order:12`, where there is one."""
    kind, _, key = record.partition(":")
    path = _PAGES.get(kind)
    return path + key if path and key not in ("", "unknown") else None


PAGES = (Page("GET", "/audit", "owner", "Audit log", list_entries, "audit.html", group="Store"),)
