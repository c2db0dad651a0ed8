"""Replays: recorded events are sent again to one webhook, in order and at a limited pace."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace
from sqlalchemy import bindparam, func, select

from lootkeep.domain.webhooks import Replay
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.events import outbox
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import deliveries, events, replays
from lootkeep.storage.webhooks import endpoints, fan_out

# How many events one step of a replay sends again: a pace that leaves capacity for new events.
STEP = 100

ROWS = Rows(replays, Replay)

_REPLAY = columns_of(replays, Replay)
_IS_RUNNING = replays.c.finished_at.is_(None)

_LATEST = Query(
    select(*_REPLAY).where(replays.c.webhook_id == bindparam("webhook")).order_by(replays.c.id.desc()).limit(1), Replay
)
_RUNNING = Query(
    select(*_REPLAY).where(_IS_RUNNING).order_by(replays.c.id).with_for_update(skip_locked=True),
    Replay,
)
_ANY_RUNNING = Query(select(replays.c.id).where(_IS_RUNNING).limit(1))
_LAST_EVENT = Query(select(func.coalesce(func.max(events.c.id), 0)))
_TYPES = Query(
    select(events.c.type, func.count())
    .where(events.c.created_at >= bindparam("since"), events.c.id <= bindparam("last"))
    .group_by(events.c.type)
)
_FIRST = Query(select(func.min(events.c.id)).where(events.c.created_at >= bindparam("since")))
_LEFT = Query(select(events.c.id).where(events.c.id > bindparam("position"), events.c.id <= bindparam("last")).limit(1))
# An existing delivery is sent again unchanged: the same id, the same bytes.
_SEND = Query(
    fan_out.INSERT.on_conflict_do_update(
        index_elements=fan_out.KEY,
        set_={"status": "pending", "priority": 1, "due_at": bindparam("now"), "failures": 0, "finished_at": None},
        where=deliveries.c.status != "pending",
    )
)


async def latest(tx: Transaction, webhook_id: int) -> Replay | None:
    return await tx.one(_LATEST, webhook=webhook_id)


async def planned(tx: Transaction, webhook_id: int, since: Instant, event_types: str, now: Instant) -> Replay:
    """A replay that is not stored yet. Counting the events of a month may take a second: never in a write."""
    horizon = await outbox.horizon(tx)
    ((last,),) = await tx.all(_LAST_EVENT)
    ((first,),) = await tx.all(_FIRST, since=since)
    types = set(msgspec.json.decode(event_types))
    counts = await tx.all(_TYPES, since=since, last=last)
    total = sum(count for event_type, count in counts if event_type in types)
    return Replay(
        id=0,
        webhook_id=webhook_id,
        since=since,
        event_types=event_types,
        last_event_id=last,
        # An event that is not visible yet may have a smaller id than the first visible one.
        cursor=min((first or last + 1) - 1, horizon),
        total=total,
        done=0,
        created_at=now,
        finished_at=now if total == 0 else None,
    )


async def has_running(tx: Transaction) -> bool:
    return await tx.one(_ANY_RUNNING) is not None


async def step(tx: Transaction, make_id: Callable[[], str], now: Instant) -> None:
    """Advances every running replay by one step; that of a webhook that was disabled or deleted ends."""
    for replay in await tx.all(_RUNNING):
        webhook = await endpoints.ROWS.get(tx, replay.webhook_id)
        if webhook is None or not webhook.is_active:
            await ROWS.save(tx, replay, replace(replay, finished_at=now))
            continue
        due = [e for e in await outbox.events_after(tx, replay.cursor, STEP) if e.id <= replay.last_event_id]
        types = {name for name in msgspec.json.decode(replay.event_types) if webhook.wants(name)}
        matching = [
            event
            for event in due
            if event.type in types and event.created_at >= replay.since and webhook.fits(event.data)
        ]
        shared = {"webhook": replay.webhook_id, "now": now}
        rows = [{"public_id": make_id(), "event": event.id, "event_type": event.type, **shared} for event in matching]
        if rows:
            await tx.execute_many(_SEND, rows)
            tx.wake("deliveries")
        position = due[-1].id if due else replay.cursor
        is_over = await tx.one(_LEFT, position=position, last=replay.last_event_id) is None
        done, finished_at = replay.done + len(rows), now if is_over else None
        # What the webhook does not want is only known in the end.
        total = done if is_over else replay.total
        await ROWS.save(tx, replay, replace(replay, cursor=position, done=done, total=total, finished_at=finished_at))
