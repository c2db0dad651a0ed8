"""The store itself: who changed what in it, and whether all is well."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from lootkeep import __version__
from lootkeep.console import lists
from lootkeep.console.bulk import AREAS
from lootkeep.console.columns import AGO, TEXT, Cell, Column
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain.accounts import AuditEntry
from lootkeep.domain.roles import Scope
from lootkeep.services.health import worst
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db
from lootkeep.storage.engine.database import Transaction

# The pages of records, by how the log names them.
_KINDS = ("order", "customer", "product", "campaign", "webhook", "user", "ticket", "gift_card")
_PAGES = {kind: f"/{kind.replace('_', '-')}s/" for kind in _KINDS} | {
    "delivery": "/deliveries/",
    **{f"bulk_{area.name}": f"{area.spec.bulk_path}/" for area in AREAS.values()},
}
# What someone needs to see the values of a change, by the kind of the record; of any other kind it is `settings:read`.
_SCOPES: dict[str, Scope] = {
    "order": "orders:read",
    "customer": "customers:read",
    "product": "products:read",
    "campaign": "email-campaigns:read",
    "webhook": "webhooks:read",
    "delivery": "webhooks:read",
    "user": "team:read",
    "role": "team:read",
    "token": "team:read",
    "ticket": "support-tickets:read",
    "gift_card": "gift-cards:read",
    "coupon": "coupons:read",
    "coupon_batch": "coupons:read",
    "creator": "creators:read",
    "server": "servers:read",
    "alert": "alerts:read",
    "tier": "referrals:read",
    "payment_event": "payments:read",
    "payment_source": "payments:read",
    **{f"bulk_{area.name}": area.scope for area in AREAS.values()},
}
_CHANGES = Cell(TEXT.html, lambda changes: "; ".join(f"{name}: {before} → {after}" for name, before, after in changes))
_LEVELS = {"bad": 0, "warning": 1, "ok": 2}


async def list_entries(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        people = await accounts_db.people(tx)
    spec = lists.ListPage(
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
        empty="Every change that someone makes in the console is recorded here, and who signs in or fails to.",
        choices=(lists.Choice("user_id", "Who", {str(person.id): person.name for person in people}, int),),
        load=_without_hidden,
        linked={"record": ("Record", str), "action": ("Action", str)},
    )
    listed = await lists.show(visit, spec)
    return listed | {"record_page": record_page}


async def _without_hidden(visit: Visit, _tx: Transaction, entries: Sequence[AuditEntry]) -> Sequence[AuditEntry]:
    """Who did what to which record is for everyone here; the values are for those who may see the record."""

    def seen(entry: AuditEntry) -> AuditEntry:
        scope = _SCOPES.get(entry.record.partition(":")[0], "settings:read")
        return entry if visit.user.may(scope) else replace(entry, before="{}", after="{}")

    return [seen(entry) for entry in entries]


def record_page(record: str) -> str | None:
    """The path of the page of a record such as `order:12`, where there is one."""
    kind, _, key = record.partition(":")
    path = _PAGES.get(kind)
    return path + key if path and key not in ("", "unknown") else None


async def show_health(visit: Visit) -> Answer:
    findings = list(await visit.options.examine(visit.deps)) if visit.options.examine else []
    findings = sorted(findings, key=lambda finding: _LEVELS[finding.level])
    return {"findings": findings, "worst": worst(findings), "version": __version__}


PAGES = (
    Page("GET", "/audit", "audit:read", "Audit log", list_entries, "audit.html", group="Store"),
    Page("GET", "/health", "health:read", "Health", show_health, "health.html", group="Store"),
)
