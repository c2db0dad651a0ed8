"""What needs someone's attention: how much of it, and what to do, the most urgent first."""

from __future__ import annotations

from dataclasses import dataclass

from lootkeep.domain.receivers import Receiver
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.paging import ListRequest, Page
from lootkeep.kernel.wording import duration, plural
from lootkeep.storage import fraud_lists, ticket_figures
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.webhooks import health


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to do."""

    tone: str
    title: str
    text: str
    action: str
    # The page of the console that it is done on.
    path: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many wait."""

    reviews: int = 0
    tickets: int = 0
    failing_receivers: int = 0


async def waiting(tx: Transaction, now: Instant) -> Waiting:
    return Waiting(
        await fraud_lists.pending_review(tx),
        await ticket_figures.total(tx, {"status": "open"}),
        len(await health.failing(tx, now)),
    )


async def needs(tx: Transaction, now: Instant) -> list[Need]:
    """Everything there is to do, the most urgent first."""
    needed = [_failing_receiver(receiver, now) for receiver in await health.failing(tx, now)]
    held = await fraud_lists.pending_review(tx)
    if held:
        needed.append(await _reviews(tx, held, now))
    tickets = await ticket_figures.total(tx, {"status": "open"})
    if tickets:
        urgent = await ticket_figures.total(tx, {"status": "open", "priority": "urgent"})
        text = f"{plural(urgent, 'is', 'are')} urgent." if urgent else "None of them is urgent."
        title = f"{plural(tickets, 'ticket')} without an answer"
        needed.append(Need("warn", title, text, "Answer", "/tickets?status=open"))
    return needed


def _failing_receiver(receiver: Receiver, now: Instant) -> Need:
    since = f" for {duration(now - receiver.failing_since)}" if receiver.failing_since else ""
    text = f"{plural(receiver.waiting, 'delivery waits', 'deliveries wait')}. The last attempt: {receiver.last_answer}."
    return Need("bad", f"{receiver.name} has failed{since}", text, "Look", f"/webhooks/{receiver.id}")


async def _reviews(tx: Transaction, held: int, now: Instant) -> Need:
    title = f"{plural(held, 'order waits', 'orders wait')} for a review"
    request = ListRequest(Page(1, 1), {"is_reviewed": False, "action_taken": "verification_required"}, order="asc")
    oldest, total = await fraud_lists.LISTING.page(tx, request)
    text = (
        f"{plural(total, 'is', 'are')} on hold, the oldest for {duration(now - oldest[0].created_at)}."
        if oldest
        else ""
    )
    return Need("warn", title, text or "None of them is on hold.", "Review", "/fraud")
