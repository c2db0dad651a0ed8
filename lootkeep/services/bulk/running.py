"""Prepares, starts, works and stops a bulk act: each row is acted on once, in one transaction with its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace as with_db
from typing import Any

import msgspec
import structlog
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import bulk as bulk_rules
from lootkeep.domain.bulk import BATCH, BulkAct, BulkRow
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.errors import AppError, Conflict, Unavailable, existing
from lootkeep.services.bulk.acts import ACTS, Act
from lootkeep.storage import bulk as bulk_db
from lootkeep.storage.engine.database import JoinedDatabase

log = structlog.get_logger(__name__)

_BROKEN = "Something went wrong on our side. It was logged, and nothing was changed."


class _Settled(Exception):
    """The row has a result, or the act was stopped: nothing of this try may stay."""


async def prepare(
    deps: Deps,
    act: Act,
    user_id: int,
    records: Mapping[int, str | None],
    query: str,
    matched: int,
    *,
    is_all: bool,
    parameters: str = "{}",
) -> BulkAct:
    """A draft for these records, which are those of the act from now on, with what it gets for each of them alone."""
    now = deps.clock.now()
    draft = BulkAct(
        id=0,
        user_id=user_id,
        area=act.area,
        name=act.name,
        parameters=parameters,
        list_query=query,
        matched=matched,
        is_all=is_all,
        status="draft",
        total=len(records),
        done_count=0,
        refused_count=0,
        due_at=now,
        attempts_count=0,
        failures=0,
        created_at=now,
        finished_at=now,
    )
    async with deps.db.write() as tx:
        return await bulk_db.add(tx, draft, records)


async def prepare_undo(deps: Deps, area: str, act_id: int, user_id: int) -> BulkAct:
    """A draft of the act that takes this one back, for the records that it changed; of the others it says why not."""
    async with deps.db.read(slow=True) as tx:
        act = existing(await bulk_db.ACTS.find_one(tx, id=act_id, area=area), "Bulk action")
        done = await bulk_db.ROWS.find(tx, act_id=act_id, status="done")
    reverse = existing(ACTS.get((area, ACTS[area, act.name].reverse)), "Bulk action")
    rows = {row.record_id: row.parameters for row in done if row.sentence is None}
    if not rows:
        raise Conflict("nothing_to_undo", "The action changed nothing, so there is nothing to undo.")
    query, count = act.list_query, len(rows)
    return await prepare(deps, reverse, user_id, rows, query, count, is_all=False, parameters=act.parameters)


async def start(deps: Deps, act_id: int, user_id: int, parameters: Mapping[str, Any]) -> BulkAct:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        draft = existing(await bulk_db.ACTS.lock(tx, act_id), "Bulk action")
        bulk_rules.require_status(draft, "draft")
        encoded = msgspec.json.encode(parameters).decode()
        started = replace(
            draft, user_id=user_id, parameters=encoded, status="waiting", due_at=now, created_at=now, finished_at=None
        )
        return await bulk_db.start(tx, draft, started)


async def stop(deps: Deps, act_id: int) -> BulkAct:
    """What was done stays; nothing more is done once this has returned."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        act = existing(await bulk_db.ACTS.lock(tx, act_id), "Bulk action")
        bulk_rules.require_status(act, "waiting")
        await bulk_db.stop(tx, act_id, now)
        return existing(await bulk_db.ACTS.get(tx, act_id), "Bulk action")


async def work(deps: Deps, lease: str, act: BulkAct, is_stopping: Callable[[], bool]) -> None:
    """The next rows of a claimed act; it is due again at once, unless they were the last."""
    async with deps.db.read() as tx:
        rows = await bulk_db.left(tx, act.id, BATCH)
    for row in rows:
        if is_stopping():
            break
        await _act(deps, act, row)
    now = deps.clock.now()
    async with deps.db.write() as tx:
        is_over = not await bulk_db.left(tx, act.id, 1)
        await bulk_db.QUEUE.settle(tx, lease, act, Settlement("done" if is_over else "waiting", now, 0), now)


async def _act(deps: Deps, act: BulkAct, row: BulkRow) -> None:
    operation, parameters = ACTS[act.area, act.name].operation, msgspec.json.decode(act.parameters)
    parameters |= msgspec.json.decode(row.parameters or "{}")
    try:
        async with deps.db.write() as tx:
            joined = with_db(deps, db=JoinedDatabase(tx))
            result = await operation(joined, row.record_id, act.user_id, **parameters)
            sentence = result if isinstance(result, str) else None
            undo = msgspec.json.encode(result).decode() if isinstance(result, Mapping) else None
            # Last: the operation locks its records in its own order, and a second worker finds the result here.
            if not await bulk_db.finish(tx, row, "done", sentence, undo):
                raise _Settled
        return
    except _Settled:
        return
    except Unavailable:
        raise
    except AppError as error:
        sentences = [sentence for sentences in (error.fields or {}).values() for sentence in sentences]
        refused = " ".join(sentences) or error.message
    except Exception:
        # A bug must not block the queue.
        log.exception("a row of a bulk action failed", act_id=act.id, record_id=row.record_id)
        refused = _BROKEN
    async with deps.db.write() as tx:
        await bulk_db.finish(tx, row, "refused", refused)
