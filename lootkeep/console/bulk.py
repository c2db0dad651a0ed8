"""Acts on many rows of a list: their preview, their progress, and the result of each row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from lootkeep.console import forms, lists
from lootkeep.console.columns import AGO, BADGE, COUNT, NAME, TEXT, Cell, Column
from lootkeep.console.coupons import COUPONS
from lootkeep.console.customers import CUSTOMERS
from lootkeep.console.formats import label, options
from lootkeep.console.forms import Field
from lootkeep.console.fraud import CHECKS
from lootkeep.console.gift_cards import GIFT_CARDS, REVOKE
from lootkeep.console.orders import ORDERS
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.console.tickets import LAST_MESSAGE, TICKETS
from lootkeep.console.webhooks import DELIVERIES
from lootkeep.domain import gift_cards as gift_cards_rules, inputs as inputs_rules
from lootkeep.domain.bulk import MAX_ROWS, BulkAct, BulkRow, BulkRowStatus
from lootkeep.domain.canned_replies import VARIABLES, written
from lootkeep.domain.customers import MAX_NOTE_LENGTH, MAX_TAG_LENGTH
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.orders import order_number
from lootkeep.domain.roles import Scope
from lootkeep.kernel.errors import NotFound, existing
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.kernel.wording import plural
from lootkeep.services import bulk as bulk_service, canned_replies as canned_replies_service
from lootkeep.services.bulk import Act
from lootkeep.storage import bulk as bulk_db, coupons as coupons_db, whole_lists as whole_lists_db
from lootkeep.storage.access import rows as access_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.gift_cards import rows as gift_cards_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.rows import Rows
from lootkeep.storage.tickets import canned_replies as canned_replies_db, rows as tickets_db
from lootkeep.storage.webhooks import log as log_db

_LIVE_SECONDS = 2
_WEBHOOK, _DELIVERY, _CARD = "/webhooks/{webhook_id}", "/deliveries/{0.public_id}", "/gift-cards/{0.id}"


def _order_of_check(check: FraudCheck) -> str:
    return order_number(check.order_id)


def _webhook(visit: Visit) -> dict[str, Any]:
    return {"webhook_id": inputs_rules.integer(visit.query.get("webhook_id", "")) or 0}


@dataclass(frozen=True, slots=True)
class Area:
    """A list with acts on its rows: where it is, how a record is named, and where its page is."""

    name: str
    # Of the list; a name in braces is one of its fixed filters.
    path: str
    spec: lists.ListPage
    rows: Rows[Any]
    label: Callable[[Any], str]
    page: str
    # The filters that only the page sets.
    fixed: Callable[[Visit], dict[str, Any]] = lambda _: {}

    @property
    def scope(self) -> Scope:
        (scope,) = {act.scope for act in bulk_service.acts_of(self.name)}
        return scope


AREAS = {
    area.name: area
    for area in (
        Area("orders", "/orders", ORDERS, orders_db.ROWS, attrgetter("number"), "/orders/{0.id}"),
        Area("fraud", "/fraud/checks", CHECKS, fraud_checks_db.ROWS, _order_of_check, "/fraud/checks/{0.id}"),
        Area("tickets", "/tickets", TICKETS, tickets_db.ROWS, attrgetter("number"), "/tickets/{0.id}"),
        Area("customers", "/customers", CUSTOMERS, customers_db.ROWS, attrgetter("name"), "/customers/{0.id}"),
        Area("coupons", "/coupons", COUPONS, coupons_db.ROWS, attrgetter("code"), "/coupons/{0.id}"),
        Area("gift_cards", "/gift-cards", GIFT_CARDS, gift_cards_db.ROWS, gift_cards_rules.masked, _CARD),
        Area("deliveries", _WEBHOOK, DELIVERIES, log_db.ROWS, attrgetter("public_id"), _DELIVERY, _webhook),
    )
}
_VARIABLES = f"{', '.join(map(written, VARIABLES))} are filled in for each ticket."
_NOTE = Field("notes", "Note", forms.text(1000), "Stored with each review.")
_TAG = (Field("tag", "Tag", forms.text(MAX_TAG_LENGTH), is_required=True),)
# What the preview asks for.
FIELDS: Mapping[tuple[str, str], Sequence[Field]] = {
    ("orders", "fulfill"): (Field("note", "Note", forms.text(), "Stored with each order."),),
    ("orders", "cancel"): (Field("reason", "Reason", forms.text(), "Stored with each order and sent to receivers."),),
    **{("fraud", name): (_NOTE,) for name in ("approve", "reject", "block")},
    ("tickets", "assign"): (Field("agent_id", "Assigned to", forms.ID),),
    ("tickets", "give_back"): (),
    ("tickets", "reply"): (Field("canned_id", "Canned reply", forms.ID), replace(LAST_MESSAGE, hint=_VARIABLES)),
    ("tickets", "close"): (LAST_MESSAGE,),
    ("tickets", "open"): (),
    ("customers", "tag"): _TAG,
    ("customers", "untag"): _TAG,
    ("customers", "block"): (Field("reason", "Reason", forms.text(MAX_NOTE_LENGTH), is_required=True),),
    ("customers", "unblock"): (Field("note", "Reason", forms.text(MAX_NOTE_LENGTH), "For staff."),),
    ("coupons", "activate"): (),
    ("coupons", "deactivate"): (),
    ("gift_cards", "revoke"): REVOKE,
    ("deliveries", "resend"): (),
}
assert FIELDS.keys() == bulk_service.ACTS.keys()


@dataclass(frozen=True, slots=True)
class Result:
    """A row with the name and the page of its record; a record that is gone has its number."""

    name: str
    page: str
    status: str
    sentence: str | None


async def _results(tx: Transaction, rows: Sequence[BulkRow]) -> list[Result]:
    if not rows:
        return []
    act = existing(await bulk_db.ACTS.get(tx, rows[0].act_id), "Bulk action")
    area = AREAS[act.area]
    records = await area.rows.get_many(tx, [row.record_id for row in rows])
    return [_result(area, row, records.get(row.record_id)) for row in rows]


def _result(area: Area, row: BulkRow, record: Any) -> Result:
    if record is None:
        return Result(str(row.record_id), area.path.partition("/{")[0], row.status, row.sentence)
    return Result(area.label(record), area.page.format(record), row.status, row.sentence)


RESULTS = lists.ListPage(
    listing=bulk_db.ROW_LISTING,
    columns=(
        Column("Record", "name", NAME),
        Column("Result", "status", BADGE),
        Column("What to know", "sentence", Cell(TEXT.html, css="changes")),
    ),
    link=lambda result: result.page,
    empty="No row is selected. Go back and tick some, or take all of the filter.",
    choices=(lists.Choice("status", "Result", options(BulkRowStatus), is_open=True),),
    load=lambda _, tx, rows: _results(tx, rows),
    has_dates=False,
    order="asc",
)
_TITLE = Cell(lambda act, *more: NAME.html(title_of(act), *more), lambda act: title_of(act), NAME.css)
HISTORY = lists.ListPage(
    listing=bulk_db.LISTING,
    columns=(
        Column("Action", "itself", _TITLE),
        Column("Status", "status", BADGE),
        Column("Done", "done_count", COUNT),
        Column("Refused", "refused_count", COUNT),
        Column("Started", "created_at", AGO),
    ),
    link=lambda act: f"{AREAS[act.area].spec.bulk_path}/{act.id}",
    text="What was done to many records at once, with the result of each.",
    empty="Tick rows in a list to act on all of them. What came of it is here.",
    has_dates=False,
)


def title_of(act: BulkAct) -> str:
    """`Cancel 12 orders`."""
    described = bulk_service.ACTS[act.area, act.name]
    noun = described.noun
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return described.sentence.format(plural(act.total, noun, several))


async def prepare(area: Area, visit: Visit) -> Answer:
    """A draft of the ticked rows, of all that the filter matches now, or of those whose act is undone."""
    if (undone := inputs_rules.integer(visit.form.get("undo", ""))) is not None:
        draft = await bulk_service.prepare_undo(visit.deps, area.name, undone, visit.user.id)
        return Done(url(f"{area.spec.bulk_path}/{draft.id}"))
    act = {act.name: act for act in bulk_service.acts_of(area.name)}.get(visit.form.get("act", ""))
    if not (act or (visit.form.get("act") == "export" and "ids" in area.spec.linked)):
        raise NotFound("Bulk action")
    query, request = lists.asked(visit, area.spec, **area.fixed(visit))
    ids = [inputs_rules.integer(word) for word in visit.form.get("ids", "").split()]
    ticked = sorted({record_id for record_id in ids if record_id is not None})[:MAX_ROWS]
    is_all = visit.form.get("all") == "yes"
    address = lists.address({name: value for name, value in query.items() if name != "page"})
    if act is None:
        chosen = address if is_all or not ticked else lists.address({"ids": ",".join(map(str, ticked))})
        return Done(url(area.path) + chosen + "&format=csv")
    async with visit.deps.db.read(slow=True) as tx:
        _, matched = await area.spec.listing.page(tx, ListRequest(PageRequest(1, 1), request.filters))
        if is_all:
            ticked = await whole_lists_db.newest_keys(tx, area.spec.listing, request.filters, MAX_ROWS)
    records = dict.fromkeys(ticked)
    draft = await bulk_service.prepare(visit.deps, act, visit.user.id, records, address, matched, is_all=is_all)
    return Done(url(f"{area.spec.bulk_path}/{draft.id}"))


async def show(area: Area, visit: Visit) -> Answer:
    act = await _act_of(area, visit)
    async with visit.deps.db.read() as tx:
        states = await bulk_db.states(tx, act) if act.status == "draft" else {}
    described = bulk_service.ACTS[act.area, act.name]
    listed = await lists.show(visit, RESULTS, act_id=act.id)
    return listed | {
        "act": act,
        "title": title_of(act),
        "described": described,
        "fields": await _fields(visit, act),
        "values": msgspec.json.decode(act.parameters),
        "refused": _refused(described, states),
        "most": MAX_ROWS,
        "here": f"{area.spec.bulk_path}/{act.id}",
        "back": url(_list_path(area, act)) + act.list_query,
        "again": url(area.spec.bulk_path) + act.list_query,
        "live": _LIVE_SECONDS if act.status == "waiting" else None,
    }


def _list_path(area: Area, act: BulkAct) -> str:
    asked = dict(parse_qsl(act.list_query.removeprefix("?")))
    return area.path.format(webhook_id=asked.get("webhook_id", ""))


async def _fields(visit: Visit, act: BulkAct) -> Sequence[Field]:
    """Who a ticket is assigned to and what it is answered with are offered by name."""
    fields = FIELDS[act.area, act.name]
    async with visit.deps.db.read() as tx:
        if (act.area, act.name) == ("tickets", "assign"):
            names = {user.id: user.name for user in await access_db.STAFF.find(tx)}
        elif (act.area, act.name) == ("tickets", "reply") and act.status == "draft":
            names = await canned_replies_db.names(tx)
        else:
            return fields
    offered = {"": "Nobody" if act.name == "assign" else "–"} | {str(key): name for key, name in names.items()}
    return [replace(fields[0], kind=forms.choice(offered)), *fields[1:]]


async def _act_of(area: Area, visit: Visit) -> BulkAct:
    """The page's act: the scope of the page is that of its area."""
    async with visit.deps.db.read() as tx:
        act = existing(await bulk_db.ACTS.get(tx, visit.id), "Bulk action")
    if act.area != area.name:
        raise NotFound("Bulk action")
    return act


def _refused(act: Act, states: Mapping[str | None, int]) -> tuple[int, str]:
    """How many records are in a state that the act refuses, as far as known, and in which."""
    refused = {state: count for state, count in states.items() if act.allowed is not None and state not in act.allowed}
    states_text = ", ".join(f"{count:,} {label(state or '').lower()}" for state, count in refused.items())
    return sum(refused.values()), states_text


async def start(area: Area, visit: Visit) -> Answer:
    draft = await _act_of(area, visit)
    parameters = forms.read(visit, FIELDS[draft.area, draft.name])
    if "canned_id" in parameters:
        parameters = {"message": await canned_replies_service.compose(visit.deps, *parameters.values())}
    act = await bulk_service.start(visit.deps, draft.id, visit.user.id, parameters)
    return _done(area, act, "", {"action": title_of(act)})


async def stop(area: Area, visit: Visit) -> Answer:
    act = await bulk_service.stop(visit.deps, (await _act_of(area, visit)).id)
    left = act.total - act.acted
    message = f"Stopped. {plural(act.acted, 'row')} had their turn, {left:,} stay as they were."
    return _done(area, act, message, {"done": act.done_count, "refused": act.refused_count, "left": left})


def _done(area: Area, act: BulkAct, message: str, logged: Mapping[str, Any]) -> Done:
    path = f"{area.spec.bulk_path}/{act.id}"
    return Done(url(path), message, f"bulk_{area.name}:{act.id}", after=logged, tone="warn" if message else "ok")


def _pages(area: Area) -> tuple[Page, ...]:
    """Of one area, so that the table says which scope they need."""
    path, scope, lit = area.spec.bulk_path, area.scope, "/" + area.path.split("/")[1]
    return (
        # Finds all that a filter matches, which may take a while, and only makes a draft.
        change(path, scope, "Prepare a bulk action", partial(prepare, area), is_foreign=True),
        Page("GET", f"{path}/{{id}}", scope, "Bulk action", partial(show, area), "bulk.html", under=lit),
        change(f"{path}/{{id}}/start", scope, "Start a bulk action", partial(start, area)),
        change(f"{path}/{{id}}/stop", scope, "Stop a bulk action", partial(stop, area)),
    )


PAGES = (
    lists.page("/bulk", "audit:read", "Bulk actions", HISTORY),
    *(page for area in AREAS.values() for page in _pages(area)),
)
