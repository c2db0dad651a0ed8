"""How long the worker takes to claim what is due in a queue full of retries."""

import gc
import random
import time

from bench.receiving import Run, Spread, spread
from lootkeep.deps import Deps
from lootkeep.domain.deliveries import AttemptResult, ClaimedDelivery
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.storage.engine.postgres import PostgresDatabase
from lootkeep.storage.webhooks import deliveries as deliveries_db

_LEASE = "bench"
_REFUSED = AttemptResult(False, 500, 1, "answered 500", None)
_PARKED = """INSERT INTO deliveries (public_id, event_id, webhook_id, event_type, status, priority, due_at,
        attempts_count, failures, response_code, reason, created_at)
    SELECT 'wh_' || e.id || '_' || w.id, e.id, w.id, e.type, 'pending', 1,
        {later} + (e.id * 7919 + w.id * 104729) % {hour}, 1, 1, 500, 'answered 500', {now}
    FROM events e CROSS JOIN webhooks w"""
_TRIED = """INSERT INTO attempts (delivery_id, number, outcome, started_at, finished_at, response_code, reason)
    SELECT id, 1, 'failed', created_at, created_at, 500, 'answered 500' FROM deliveries"""


async def claim_times(deps: Deps, run: Run, events: int, count: int) -> dict[str, Spread]:
    """The worker's claim with its commit, and its look for the next due time, in a queue full of retries.

    Ten of the recorded events come due at a time, for every webhook; once claimed they are parked again.
    """
    # As the command does with what it has imported: the collector leaves it alone.
    gc.freeze()
    now = deps.clock.now()
    await run(_PARKED.format(now=now, later=now + HOUR, hour=HOUR))
    await run(_TRIED)
    if isinstance(deps.db, PostgresDatabase):
        # What autovacuum does to a queue that lives; and what making the rows has left to write is not measured.
        await run("VACUUM ANALYZE")
        await run("CHECKPOINT")
    times: dict[str, list[float]] = {"claim": [], "next due": []}
    for _ in range(count):
        chosen = ", ".join(str(random.randrange(events) + 1) for _ in range(10))
        await run(f"UPDATE deliveries SET due_at = {deps.clock.now()} WHERE event_id IN ({chosen})")
        started = time.monotonic()
        claimed = await _claim(deps)
        times["claim"].append((time.monotonic() - started) * 1000)
        later = Settlement("pending", Instant(deps.clock.now() + HOUR), 2)
        async with deps.db.write() as tx:
            settled = [(delivery, _REFUSED, later) for delivery in claimed]
            await deliveries_db.settle(tx, _LEASE, settled, deps.clock.now())
        started = time.monotonic()
        async with deps.db.read() as tx:
            await deliveries_db.due(tx, deps.clock.now())
        times["next due"].append((time.monotonic() - started) * 1000)
    return {name: spread(those) for name, those in times.items()}


async def _claim(deps: Deps) -> list[ClaimedDelivery]:
    """As the worker does it: a look, then the claim."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        due = (await deliveries_db.due(tx, now)).webhooks
    async with deps.db.write() as tx:
        claimed, _ = await deliveries_db.claim(tx, [deliveries_db.ClaimSlot(*row, 10) for row in due], _LEASE, now)
    return [delivery for _, delivery in claimed]
