"""The outbox: events written in the transaction of the deed that caused them."""

from __future__ import annotations

import msgspec
from sqlalchemy import bindparam, insert

from lootkeep.domain.events import EVENT_TYPES
from lootkeep.kernel.clock import Instant
from lootkeep.storage.database import Transaction
from lootkeep.storage.query import Query
from lootkeep.storage.tables import events

_ADD = Query(
    insert(events)
    .values(type=bindparam("event_type"), data=bindparam("payload"), created_at=bindparam("now"))
    # Nobody asks for its id.
    .inline()
)


async def append(tx: Transaction, event_type: str, data: msgspec.Struct, now: Instant) -> None:
    """Fixes the bytes of the event's data for good."""
    if event_type not in EVENT_TYPES:
        raise KeyError(event_type)
    await tx.run(_ADD, event_type=event_type, payload=msgspec.json.encode(data).decode(), now=now)
