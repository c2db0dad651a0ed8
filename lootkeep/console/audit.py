"""The audit log: who did what, each entry as a sentence, with the values before and after for those who ask."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from lootkeep.console import acts, changes, lists
from lootkeep.console.bulk import AREAS
from lootkeep.console.columns import AGO, TEXT, Cell, Column
from lootkeep.console.formats import field_name, options
from lootkeep.console.page import Answer, Page, Visit, url
from lootkeep.domain.accounts import AuditChannel, AuditEntry
from lootkeep.domain.orders import order_number
from lootkeep.domain.roles import Scope
from lootkeep.kernel import money
from lootkeep.storage import audit as audit_db
from lootkeep.storage.engine.database import Transaction

# The pages of records, by how the log names them.
_KINDS = ("order", "customer", "product", "campaign", "webhook", "user", "ticket", "gift_card")
_PAGES = {kind: f"/{kind.replace('_', '-')}s/" for kind in _KINDS} | {
    "delivery": "/deliveries/",
    **{f"bulk_{area.name}": f"{area.spec.bulk_path}/" for area in AREAS.values()},
}
# Files of lists whose path is no name.
_LISTS = {"audit": "the audit log", "fraud": "the review queue"}
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
    "canned_reply": "support-tickets:read",
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
# The first of these that an entry has is how people call the record.
_NAMES = ("name", "code", "subject", "url", "batch")
# Amounts that a sentence says: how much more or less it is than before.
_AMOUNTS = ("refunded_total", "balance", "amount")
_MAX_FIELDS = 3
_MAX_VALUE = 80
_CHANGES = Cell(
    TEXT.html,
    lambda changes: "; ".join(f"{name}: {before} → {after}" for name, before, after in changes),
    is_money=True,
)


class Line(msgspec.Struct, frozen=True):
    """An entry as people read it."""

    entry: AuditEntry
    sentence: Markup
    # Each field with its value before and after, in words.
    changes: Sequence[tuple[str, str, str]]

    @property
    def text(self) -> str:
        return f"{self.entry.who} {self.sentence.striptags()}"


def _record_of(term: str) -> dict[str, str]:
    """What someone looks for: `ORD-000012` is the order 12."""
    digits = term.upper().removeprefix("ORD-")
    return {"record": f"order:{int(digits)}" if digits.isdecimal() else term}


_AREAS = {
    area.lower().replace(" ", "-"): msgspec.json.encode(list(acts_of)).decode() for area, acts_of in acts.AREAS.items()
}
_LISTING = dataclasses.replace(audit_db.LISTING, search=_record_of)


async def list_entries(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        people = await changes.people(tx)
    spec = lists.ListPage(
        listing=_LISTING,
        columns=(
            Column("When", "entry.created_at", AGO, "created_at"),
            Column("What", "text"),
            Column("Act", "entry.action"),
            Column("Way", "entry.channel", Cell(TEXT.html, options(AuditChannel).get)),
            Column("From", "entry.ip_address", Cell(TEXT.html, css="number muted")),
        ),
        exported=(
            Column("Who", "entry.who"),
            Column("Record", "entry.record"),
            Column("Changes", "changes", _CHANGES),
        ),
        text="Who did what in the store, with the values before and after.",
        empty="Every change that someone makes in the console is recorded here, and who signs in or fails to.",
        choices=(
            lists.Choice("user_id", "Who", people, int),
            lists.Choice("area", "Area", dict(zip(_AREAS, acts.AREAS, strict=True)), _AREAS.__getitem__),
            lists.Choice("channel", "Way", options(AuditChannel)),
        ),
        search="Order number, or a record such as product:12",
        load=partial(_lines, people),
        linked={"record": ("Record", str), "action": ("Act", str)},
    )
    return await lists.show(visit, spec)


async def _lines(
    people: Mapping[str, str], visit: Visit, _tx: Transaction, entries: Sequence[AuditEntry]
) -> Sequence[Line]:
    """Who did what to which record is for everyone here; the values are for those who may see the record."""
    lines, logged = [], visit.formats.logged
    for entry in entries:
        scope = _SCOPES.get(entry.record.partition(":")[0], "settings:read")
        seen = entry if visit.user.may(scope) else replace(entry, before="{}", after="{}")
        changed = [
            (field_name(name), logged(before, name, people), logged(after, name, people))
            for name, before, after in seen.changes
        ]
        lines.append(Line(seen, acts.sentence(entry.action, _texts(visit, seen, people)), changed))
    return lines


def _texts(visit: Visit, entry: AuditEntry, people: Mapping[str, str]) -> Mapping[str, str]:
    """What the sentence may say."""
    values, changed, logged = entry.values, entry.changes, visit.formats.logged
    names = [field_name(name) for name, _, _ in changed]
    more = f" and {len(names) - _MAX_FIELDS} more" if len(names) > _MAX_FIELDS else ""
    texts = {
        "fields": f"the {', '.join(names[:_MAX_FIELDS])}{more}" if names else "",
        "names": ", ".join(names),
        "values": ", ".join(str(before if after is None else after) for _, before, after in changed),
        **{name: logged(value, name, people) for name, value in values.items() if value not in (None, "")},
        **_amounts(visit, entry),
    }
    if isinstance(values.get("order_id"), int):
        texts["order_id"] = order_number(values["order_id"])
    short = {name: f"{text[:_MAX_VALUE]}…" if len(text) > _MAX_VALUE else text for name, text in texts.items()}
    marked = {name: Markup("<bdi>{}</bdi>").format(text) for name, text in short.items() if text}
    return marked | {"record": _record(entry.record, values, people)}


def _amounts(visit: Visit, entry: AuditEntry) -> dict[str, str]:
    """Not for those who must not see revenue: all of them make a sum."""
    if visit.user.permissions.hides_revenue:
        return dict.fromkeys(_AMOUNTS, "")
    currency = entry.values.get("currency")
    texts = {}
    for name, before, after in entry.changes:
        if name in _AMOUNTS and (now := _hundredths(after)) is not None:
            texts[name] = visit.formats.money(now, currency)
            texts[f"{name}_change"] = visit.formats.money(abs(now - (_hundredths(before) or 0)), currency)
    return texts


def _hundredths(text: object) -> int | None:
    try:
        return money.parse(str(text))
    except money.NotMoney:
        return None


def _record(record: str, values: Mapping[str, object], people: Mapping[str, str]) -> Markup:
    """`order ORD-000012`, `product “Gold”`, with a link to its page."""
    kind, _, key = record.partition(":")
    word = "bulk action" if kind.startswith("bulk_") else kind.replace("_", " ").replace("/", " ").replace("-", " ")
    name = next((str(values[name]) for name in _NAMES if values.get(name)), "")
    named = f"“{name[:_MAX_VALUE]}”" if name else key
    if kind == "order" and key.isdecimal():
        named = order_number(int(key))
    if kind == "user":
        named = people.get(key, "nobody knows" if key == "unknown" else key)
    text = Markup("{} <bdi>{}</bdi>").format(word, named) if key else Markup("{}").format(_LISTS.get(kind, word))
    path = record_page(record)
    return Markup('<a class="link" href="{}">{}</a>').format(url(path), text) if path else text


def record_page(record: str) -> str | None:
    """The path of the page of a record such as `order:12`, where there is one."""
    kind, _, key = record.partition(":")
    path = _PAGES.get(kind)
    return path + key if path and key not in ("", "unknown") else None


PAGES = (Page("GET", "/audit", "audit:read", "Audit log", list_entries, "audit.html", group="Store"),)
