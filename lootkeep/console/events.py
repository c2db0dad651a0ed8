"""The event feed: what was recorded, what each receiver was sent of it, and why the others were sent nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.console import lists
from lootkeep.console.lists import Choice, Column, ListPage
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.console.receivers import sendings_of
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import existing
from lootkeep.storage import event_lists, order_events, outbox
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.order_events import OrderEvent


@dataclass(frozen=True, slots=True)
class Row:
    """An event and how many receivers it went to."""

    event: OrderEvent
    sent: int
    delivered: int

    @property
    def outcome(self) -> tuple[str, str]:
        """A tone and a text."""
        if self.event.fanned_out_at is None:
            return "info", "Queued"
        if not self.sent:
            return "quiet", "No receiver"
        return "ok" if self.delivered == self.sent else "warn", f"{self.delivered} of {self.sent} delivered"


async def _load(tx: Transaction, events: Sequence[OrderEvent]) -> list[Row]:
    deliveries = await order_events.deliveries_of(tx, [event.id for event in events])
    by_event: dict[int, list[str]] = {}
    for delivery in deliveries:
        by_event.setdefault(delivery.event_id, []).append(delivery.status)
    statuses = [by_event.get(event.id, []) for event in events]
    return [Row(event, len(those), those.count("delivered")) for event, those in zip(events, statuses, strict=True)]


EVENTS = ListPage(
    event_lists.LISTING,
    columns=(
        Column("Event", lambda row: row.event.type),
        Column("Id", lambda row: row.event.id, is_number=True),
        Column("Receivers", lambda row: row.outcome[1]),
        Column("Data", lambda row: row.event.data),
        Column("Recorded", lambda row: iso(row.event.created_at), "created_at", is_number=True),
    ),
    empty="Everything that receivers can be sent is recorded here: orders, subscriptions and products.",
    file="events",
    choices=(Choice("type", "Event", {name: name for name in EVENT_TYPES}),),
    load=_load,
)


async def show_event(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        event = existing(await order_events.get(tx, visit.id), "Event")
        sendings = await sendings_of(tx, [event])
        request_id = await outbox.request_of(tx, event.id)
    what = EVENT_TYPES.get(event.type, "")
    return {"event": event, "sendings": sendings, "what": what, "request_id": request_id, "title": event.type}


PAGES = (
    Page("GET", "/events", "read_only", "Event feed", lists.page_of(EVENTS), "events.html", group="Connect"),
    Page("GET", "/events/{id}", "read_only", "Event", show_event, "event.html"),
)
