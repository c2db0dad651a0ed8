"""When old data may be deleted: a clock is believed only if it continues where the store last saw it, or after a day.

What a wrong clock makes old and deletes cannot be brought back, so one look at it is not enough.
"""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant, iso

# The name of the record among the settings of the store.
CLOCK = "clock"
# A restart takes less. A longer gap is either an outage or a wrong clock, and only time shows which.
MAX_GAP = HOUR
# How long a clock has to run before such a gap is believed: time for someone to read the warning.
WATCHED_FOR = DAY
# Machines with a time service differ by less than a second.
MAX_DIFFERENCE = MINUTE
# A worker looks at its clock more often; an older report is over.
_REPORTED_FOR = HOUR


class ClockRecord(msgspec.Struct, frozen=True):
    """What the workers of a store have seen of the time."""

    # Up to here the time is believed; None until a worker has looked.
    believed_at: Instant | None = None
    # The last look, and for how long workers have watched the clock since it leapt ahead.
    looked_at: Instant = Instant(0)
    watched: int = 0
    # The worker whose clock last differed from the database server's, and when that was, by the server's clock.
    wrong_host: str = ""
    wrong_at: Instant = Instant(0)

    @property
    def has_leapt(self) -> bool:
        return self.believed_at is not None and self.looked_at - self.believed_at > MAX_GAP


def differs(server_time: Instant | None, now: Instant) -> bool:
    """Whether this clock and the database server's disagree; an embedded database has none."""
    return server_time is not None and abs(server_time - now) > MAX_DIFFERENCE


def look(record: ClockRecord, now: Instant, elapsed: int) -> ClockRecord:
    """After another look at the clock; `elapsed` is the time that really passed in this process since its last one."""
    if record.believed_at is None or now - record.believed_at <= MAX_GAP + elapsed:
        return msgspec.structs.replace(record, believed_at=now, looked_at=now, watched=0)
    # Several workers watch the same time.
    watched = record.watched + max(0, min(elapsed, now - record.looked_at))
    if watched >= WATCHED_FOR:
        return msgspec.structs.replace(record, believed_at=now, looked_at=now, watched=0)
    return msgspec.structs.replace(record, looked_at=now, watched=watched)


def pause_reason(record: ClockRecord, server_time: Instant | None, now: Instant) -> str | None:
    """Why nothing is deleted, and what to do; None if all workers may delete."""
    if record.wrong_host and (server_time or now) - record.wrong_at < _REPORTED_FOR:
        return (
            f"The clock of {record.wrong_host} and the database server's differ by more than a minute, so the worker "
            "there deletes no old data: run a time service on both."
        )
    seen = look(record, now, 0)
    if seen.believed_at is None or not seen.has_leapt:
        return None
    hours = -((seen.watched - WATCHED_FOR) // HOUR)
    return (
        f"No old data is deleted: the clock says {iso(now)}, and a worker last ran at {iso(seen.believed_at)}. If the "
        f"clock is wrong, set it. If it is right, deleting resumes after {hours} more hours of running."
    )
