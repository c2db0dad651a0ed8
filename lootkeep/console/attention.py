"""What waits for somebody: the numbers in the navigation, and the list of it on the overview."""

from __future__ import annotations

from dataclasses import dataclass

from lootkeep.console.formats import duration, plural
from lootkeep.console.page import url
from lootkeep.deps import Deps
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep.kernel.paging import ListRequest, Page
from lootkeep.storage import fraud_lists, ticket_figures
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import health

# The numbers in the navigation are this old at most.
_FRESH = 10 * SECOND

Waiting = dict[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Need:
    """One thing somebody has to do."""

    tone: str
    title: str
    text: str
    action: str
    # The page that it is done on, and its address.
    path: str
    to: str


class Attention:
    """Counts what waits, once for all pages of a few seconds."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._counted_at: Instant | None = None
        self._waiting: Waiting = {}

    async def waiting(self) -> Waiting:
        """By the path of the page: how many wait there, and the tone of the number."""
        now = self._deps.clock.now()
        if self._counted_at is None or not 0 <= now - self._counted_at < _FRESH:
            async with self._deps.db.read() as tx:
                self._waiting = {
                    "/fraud": (await fraud_lists.pending_review(tx), "warn"),
                    "/tickets": (await ticket_figures.total(tx, {"status": "open"}), "warn"),
                    "/webhooks": (len(await health.failing(tx, now)), "bad"),
                }
            self._counted_at = now
        return self._waiting


async def needs(tx: Transaction, now: Instant) -> list[Need]:
    """What somebody has to do, the most urgent first."""
    found = [_failing_receiver(receiver, now) for receiver in await health.failing(tx, now)]
    held = await fraud_lists.pending_review(tx)
    if held:
        found.append(await _reviews(tx, held, now))
    tickets = await ticket_figures.total(tx, {"status": "open"})
    if tickets:
        urgent = await ticket_figures.total(tx, {"status": "open", "priority": "urgent"})
        text = f"{plural(urgent, 'is', 'are')} urgent." if urgent else "None of them is urgent."
        title = f"{plural(tickets, 'ticket')} without an answer"
        found.append(Need("warn", title, text, "Answer", "/tickets", url("/tickets") + "?status=open"))
    return found


def _failing_receiver(receiver: health.Receiver, now: Instant) -> Need:
    since = f" for {duration(now - receiver.failing_since)}" if receiver.failing_since else ""
    text = f"{plural(receiver.waiting, 'delivery waits', 'deliveries wait')}; it {receiver.last_answer}."
    return Need(
        "bad", f"{receiver.name} has failed{since}", text, "Look", "/webhooks/{id}", url(f"/webhooks/{receiver.id}")
    )


async def _reviews(tx: Transaction, held: int, now: Instant) -> Need:
    title = f"{plural(held, 'order waits', 'orders wait')} for a review"
    request = ListRequest(Page(1, 1), {"is_reviewed": False, "action_taken": "verification_required"}, order="asc")
    oldest, total = await fraud_lists.LISTING.page(tx, request)
    text = (
        f"{plural(total, 'is', 'are')} on hold, the oldest for {duration(now - oldest[0].created_at)}."
        if oldest
        else ""
    )
    return Need("warn", title, text or "None of them is on hold.", "Review", "/fraud", url("/fraud"))
