"""The event feed: what was recorded, what each receiver was sent of it, and why the others were sent nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lootkeep.console import lists
from lootkeep.console.columns import AGO, CODE, NAME, Cell, Column
from lootkeep.console.labels import badge
from lootkeep.console.lists import Choice, ListPage
from lootkeep.console.page import Answer, Page, Visit
from lootkeep.domain.events import EVENT_TYPES
from lootkeep.kernel.errors import existing
from lootkeep.services.sendings import sendings_of
from lootkeep.storage import event_lists, order_events
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.order_events import OrderEvent

_SHOWN_DATA = 120


@dataclass(frozen=True, slots=True)
class Row:
    """An event and how many receivers it went to."""

    event: OrderEvent
    sent: int
    delivered: int

    @property
    def outcome(self) -> tuple[str, str]:
        """A text and a tone."""
        if self.event.fanned_out_at is None:
            return "Queued", "info"
        if not self.sent:
            return "No receiver", "quiet"
        return f"{self.delivered} of {self.sent} delivered", "ok" if self.delivered == self.sent else "warn"


async def _load(_visit: Visit, tx: Transaction, events: Sequence[OrderEvent]) -> list[Row]:
    deliveries = await order_events.deliveries_of(tx, [event.id for event in events])
    by_event: dict[int, list[str]] = {}
    for delivery in deliveries:
        by_event.setdefault(delivery.event_id, []).append(delivery.status)
    statuses = [by_event.get(event.id, []) for event in events]
    return [Row(event, len(those), those.count("delivered")) for event, those in zip(events, statuses, strict=True)]


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
    load=_load,
)


async def show_event(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        event = existing(await order_events.get(tx, visit.id), "Event")
        sendings = await sendings_of(tx, [event])
    return {"event": event, "sendings": sendings, "what": EVENT_TYPES.get(event.type, ""), "title": event.type}


PAGES = (
    lists.page("/events", "Event feed", EVENTS, "Connect"),
    Page("GET", "/events/{id}", "read_only", "Event", show_event, "event.html"),
)
