"""The store itself: who changed what in it, what the service was started with, and whether all is well."""

from __future__ import annotations

from lootkeep import __version__
from lootkeep.console import lists
from lootkeep.console.columns import AGO, TEXT, Cell, Column
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.kernel.redaction import ShownSetting
from lootkeep.services.health import worst
from lootkeep.storage import audit as audit_db
from lootkeep.storage.access import accounts as accounts_db

# The pages of records, by how the log names them.
_KINDS = ("order", "customer", "product", "campaign", "webhook", "user", "ticket", "gift_card")
_PAGES = {kind: f"/{kind.replace('_', '-')}s/" for kind in _KINDS} | {"delivery": "/deliveries/"}
_CHANGES = Cell(TEXT.html, lambda changes: "; ".join(f"{name}: {before} → {after}" for name, before, after in changes))
# The cards of the page: settings whose names begin so.
_GROUPS = {
    "Store": ("STORE", "CURRENCY", "TIMEZONE", "PUBLIC_URL", "ENVIRONMENT"),
    "Mail and campaigns": ("SMTP", "MAIL", "CAMPAIGN"),
    "Webhooks and events": ("WEBHOOK", "EVENTS"),
    "API": ("RATE", "AUTH", "MAX", "HOST", "PORT"),
    "Data": ("DATABASE", "READ", "REDIS", "SECRET", "DATA"),
}
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
        linked={"record": ("Record", str), "action": ("Action", str)},
    )
    listed = await lists.show(visit, spec)
    return listed | {"record_page": record_page}


def record_page(record: str) -> str | None:
    """The path of the page of a record such as `order:12`, where there is one."""
    kind, _, key = record.partition(":")
    path = _PAGES.get(kind)
    return path + key if path and key not in ("", "unknown") else None


async def show_settings(visit: Visit) -> Answer:
    groups: dict[str, list[ShownSetting]] = {name: [] for name in (*_GROUPS, "Other")}
    for setting in visit.options.settings:
        name = setting.name.removeprefix("LOOTKEEP_")
        groups[next((group for group, starts in _GROUPS.items() if name.startswith(starts)), "Other")].append(setting)
    return {"groups": groups}


async def show_health(visit: Visit) -> Answer:
    findings = list(await visit.options.examine(visit.deps)) if visit.options.examine else []
    findings = sorted(findings, key=lambda finding: _LEVELS[finding.level])
    return {"findings": findings, "worst": worst(findings), "version": __version__}


PAGES = (
    Page("GET", "/audit", "owner", "Audit log", list_entries, "audit.html", group="Store"),
    Page("GET", "/settings", "owner", "Settings", show_settings, "settings.html", group="Store"),
    Page("GET", "/health", "staff", "Health", show_health, "health.html", group="Store"),
)
