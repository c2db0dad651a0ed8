"""The state of a queued item after an attempt: the same in every queue."""

from __future__ import annotations

import msgspec

from lootkeep.kernel.clock import Instant

# The states of an item that waits for its next attempt: a delivery's, an e-mail's, and a payment event's.
_WAITING = ("pending", "queued", "waiting")


class Settlement(msgspec.Struct, frozen=True):
    status: str
    due_at: Instant
    failures: int
    reason: str | None = None
    # It is sent again although an earlier attempt may have arrived.
    perhaps_twice: bool = False

    @property
    def is_final(self) -> bool:
        return self.status not in _WAITING
