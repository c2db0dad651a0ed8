"""The list of recorded events."""

from __future__ import annotations

from lootkeep.storage.filters import equals, within
from lootkeep.storage.lists import Listing, Sort
from lootkeep.storage.orders.events import OrderEvent
from lootkeep.storage.queue import MAX_COUNTED
from lootkeep.storage.schema import events

LISTING = Listing(
    events,
    OrderEvent,
    {"type": equals(events.c.type, "type", None), **within(events.c.created_at)},
    {"created_at": Sort(events.c.id)},
    max_counted=MAX_COUNTED,
)
