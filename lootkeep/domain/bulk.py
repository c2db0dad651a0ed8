"""Bulk acts: one act on many records, and what became of each of them."""

from __future__ import annotations

from typing import Literal

import msgspec

from lootkeep.kernel.clock import MINUTE, Instant
from lootkeep.kernel.errors import Conflict

# A draft is a preview: it acts on nothing until someone starts it.
BulkStatus = Literal["draft", "waiting", "done", "stopped"]
BulkRowStatus = Literal["waiting", "done", "refused", "stopped"]

# A larger filter is worked in several acts: its preview can still be checked, and its rows written at once.
MAX_ROWS = 10_000
# Rows between two looks at the queue: other acts wait no longer than this takes.
BATCH = 20
# Longer than a batch takes.
LEASE = MINUTE


class BulkAct(msgspec.Struct, frozen=True):
    id: int
    # Who prepared it, and then who started it.
    user_id: int
    area: str
    name: str
    # JSON, by name: what the act gets besides the record.
    parameters: str
    # The list it was chosen from, as its address says it, and how many rows that had.
    list_query: str
    matched: int
    # All of the filter, or the ticked ones.
    is_all: bool
    status: BulkStatus
    total: int
    done_count: int
    refused_count: int
    due_at: Instant
    attempts_count: int
    failures: int
    created_at: Instant
    finished_at: Instant | None

    @property
    def acted(self) -> int:
        return self.done_count + self.refused_count


class BulkRow(msgspec.Struct, frozen=True):
    id: int
    act_id: int
    record_id: int
    status: BulkRowStatus
    # Why it was refused, or what is worth knowing of what was done.
    sentence: str | None
    # JSON: what the act gets for this record alone; once it is done, what its undo gets for it.
    parameters: str | None = None


def require_status(act: BulkAct, status: BulkStatus) -> None:
    if act.status != status:
        state = {"draft": "was not started", "waiting": "is running", "done": "is done", "stopped": "was stopped"}
        raise Conflict(f"bulk_act_{act.status}", f"This bulk action {state[act.status]}.")
