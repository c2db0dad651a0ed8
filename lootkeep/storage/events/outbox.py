"""The outbox: events written in the transaction of the operation that caused them, and the feed of them in order."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import bindparam, delete, exists, func, insert, select

from lootkeep.domain.events import EVENT_TYPES, RecordedEvent
from lootkeep.kernel.cause import CURRENT, Cause
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import Horizon
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import deliveries, events

# How many events one transaction removes.
_BATCH = 500

_ADD = Query(
    insert(events)
    .values(
        type=bindparam("event_type"),
        data=bindparam("payload"),
        created_at=bindparam("now"),
        request_id=bindparam("request"),
        traceparent=bindparam("trace"),
    )
    # Its id is not needed.
    .inline(),
    set_based=True,
)
_HORIZON = Query(Horizon())
_AFTER = Query(
    select(*(events.c[name] for name in RecordedEvent.__struct_fields__))
    .where(events.c.id > bindparam("position"), events.c.id <= bindparam("horizon"))
    .order_by(events.c.id)
    .limit(bindparam("size")),
    RecordedEvent,
)
_TYPES_AFTER = Query(select(events.c.type).where(events.c.id > bindparam("position")).distinct())
_NEWEST_AT = Query(select(func.max(events.c.created_at)))
_GET = Query(
    select(*(events.c[name] for name in RecordedEvent.__struct_fields__)).where(events.c.id == bindparam("event")),
    RecordedEvent,
)
_REQUEST_OF = Query(select(events.c.request_id).where(events.c.id == bindparam("event")))
_OLD = (
    select(events.c.id)
    .where(
        events.c.created_at < bindparam("before"),
        events.c.fanned_out_at.is_not(None),
        ~exists().where(deliveries.c.event_id == events.c.id),
    )
    .order_by(events.c.created_at, events.c.id)
    .limit(_BATCH)
    # A replay may be adding a delivery of one.
    .with_for_update(skip_locked=True)
)
_PURGE = Query(delete(events).where(events.c.id.in_(_OLD)).returning(events.c.id))


async def append(tx: Transaction, event_type: str, data: msgspec.Struct, now: Instant) -> None:
    await append_all(tx, [(event_type, data)], now)


async def append_all(tx: Transaction, new: Sequence[tuple[str, msgspec.Struct]], now: Instant) -> None:
    """Fixes the bytes of the events' data for good, and records the cause."""
    cause = CURRENT.get() or Cause()
    rows = []
    for event_type, data in new:
        if event_type not in EVENT_TYPES:
            raise KeyError(event_type)
        payload = msgspec.json.encode(data).decode()
        rows.append({"event_type": event_type, "payload": payload, "now": now, "request": cause.ids.get("request_id")})
        rows[-1]["trace"] = cause.traceparent
    if rows:
        await tx.execute_many(_ADD, rows)
        tx.wake("events")


async def horizon(tx: Transaction) -> int:
    """The id up to which no new event can appear."""
    ((event_id,),) = await tx.all(_HORIZON)
    return int(event_id)


async def events_after(tx: Transaction, cursor: int, size: int) -> list[RecordedEvent]:
    """The feed: events after a cursor, in order."""
    return await tx.all(_AFTER, position=cursor, size=size, horizon=await horizon(tx))


async def types_after(tx: Transaction, position: int) -> tuple[set[str], int]:
    """The types of newer events, and the position that misses none the next time; it may repeat some."""
    next_position = await horizon(tx)
    return {event_type for (event_type,) in await tx.all(_TYPES_AFTER, position=position)}, next_position


async def get(tx: Transaction, event_id: int) -> RecordedEvent | None:
    return await tx.one(_GET, event=event_id)


async def request_of(tx: Transaction, event_id: int) -> str | None:
    """The id of the request that caused an event; None if there was no request."""
    row = await tx.one(_REQUEST_OF, event=event_id)
    return row[0] if row else None


async def newest_at(tx: Transaction) -> Instant | None:
    ((newest,),) = await tx.all(_NEWEST_AT)
    return newest if newest is None else Instant(newest)


async def purge(tx: Transaction, before: Instant) -> int:
    """Removes some old events that no delivery needs, and returns how many."""
    return len(await tx.all(_PURGE, before=before))
