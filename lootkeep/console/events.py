"""The event feed: what was recorded, what each receiver was sent of it, and why the others were sent nothing."""

from __future__ import annotations

from lootkeep.console import lists
from lootkeep.console.columns import AGO, CODE, NAME, Cell, Column
from lootkeep.console.labels import badge
from lootkeep.console.lists import Choice, ListPage
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.console.sendings import announced, sendings_of
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.kernel.errors import existing
from lootkeep.storage import event_lists, order_events, outbox

_SHOWN_DATA = 120
_DATA = Cell(lambda data, row, visit: NAME.html(data[:_SHOWN_DATA], row, visit), css="name muted small")
EVENTS = ListPage(
    listing=event_lists.LISTING,
    columns=(
        Column("Event", "event.type", CODE),
        Column("Id", "event.id", Cell(lambda number, *_: str(number), css="number muted")),
        Column("Receivers", "outcome", Cell(lambda outcome, *_: badge("", *outcome), lambda outcome: outcome[0])),
        Column("Data", "event.data", _DATA),
        Column("Recorded", "event.created_at", AGO, "created_at"),
    ),
    link=lambda row: f"/events/{row.event.id}",
    text="What happened in the store, in the order it was recorded.",
    empty="Everything that receivers can be sent is recorded here: orders, subscriptions and products.",
    file="events",
    choices=(Choice("type", "Event", {name: name for name in EVENT_TYPES}),),
    load=lambda _, tx, events: announced(tx, events),
)


async def show_event(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        event = existing(await order_events.get(tx, visit.id), "Event")
        sendings = await sendings_of(tx, [event])
        request_id = await outbox.request_of(tx, event.id)
    what = EVENT_TYPES.get(event.type, "")
    return {"event": event, "sendings": sendings, "what": what, "request_id": request_id, "title": event.type}


PAGES = (
    lists.page("/events", "Event feed", EVENTS, "Connect"),
    Page("GET", "/events/{id}", "read_only", "Event", show_event, "event.html"),
)
