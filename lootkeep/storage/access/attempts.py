"""Failed attempts to sign in, one row per account, network or browser: one count for all processes."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects import postgresql

from lootkeep.domain.attempts import FailureCount
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.rows import Rows, columns_of
from lootkeep.storage.schema import failed_attempts

# How many rows one transaction removes.
_BATCH = 500
ROWS = Rows(failed_attempts, FailureCount)

# An update that changes nothing locks a row that is there, and waits for one that another process adds.
_LOCK = Query(
    postgresql.insert(failed_attempts)
    .values(key=bindparam("of_key"), failures=0, counted_at=bindparam("now"), paused_until=bindparam("now"))
    .on_conflict_do_update(index_elements=["key"], set_={"key": failed_attempts.c.key})
    .returning(*columns_of(failed_attempts, FailureCount)),
    FailureCount,
)
_OLD = select(failed_attempts.c.key).where(failed_attempts.c.counted_at < bindparam("before")).limit(_BATCH)
# One that is counted at this moment is not old.
_FREE = _OLD.with_for_update(skip_locked=True)
_PURGE = Query(delete(failed_attempts).where(failed_attempts.c.key.in_(_FREE)).returning(failed_attempts.c.key))


async def lock(tx: Transaction, keys: Iterable[str], now: Instant) -> dict[str, FailureCount]:
    """The counts under these keys, in one order for everyone; a new one is zero."""
    return {key: (await tx.all(_LOCK, of_key=key, now=now))[0] for key in sorted(keys)}


async def purge(tx: Transaction, before: Instant) -> int:
    """Removes some of which nothing is left, and returns how many."""
    return len(await tx.all(_PURGE, before=before))
