"""What needs someone: everything there is to do, the most urgent first, each with the page that it is done on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lootkeep.console.formats import Formats
from lootkeep.console.page import Visit
from lootkeep.domain.receivers import Receiver
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.wording import duration, plural
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import queue as fraud_queue_db
from lootkeep.storage.goods import servers as servers_db, waiting as waiting_db
from lootkeep.storage.orders import disputes as disputes_db
from lootkeep.storage.payments import events as payment_events_db
from lootkeep.storage.tickets import figures as ticket_figures_db

# One thing to do: its tone, title and text, and the button to the page that it is done on.
Need = tuple[str, str, str, str, str]
# Of one kind by name; the rest is counted.
_NAMED = 5


async def needs(visit: Visit, tx: Transaction, receivers: Sequence[Receiver]) -> list[Need]:
    """What someone with the role of who asks may look at."""
    formats, now, may = visit.formats, visit.now, visit.user.may
    return [
        *(await _disputes(tx, formats, now) if may("orders:read") else ()),
        *_failing(receivers, now),
        *(await _servers(tx, formats, now) if may("servers:read") else ()),
        *(await _keys(tx) if may("products:read") else ()),
        *(await _payments(tx) if may("payments:read") else ()),
        *(await _decisions(visit, tx) if may("fraud:read") else ()),
        *(await _tickets(tx) if may("support-tickets:read") else ()),
    ]


async def _disputes(tx: Transaction, formats: Formats, now: Instant) -> list[Need]:
    """With how long evidence is taken."""
    waiting = await disputes_db.waiting(tx, _NAMED + 1, now)
    needed: list[Need] = []
    for dispute, order in waiting[:_NAMED]:
        title = f"{order.number} is disputed, {formats.money(order.total, order.currency)}"
        text = "The provider has not said until when it takes evidence."
        if dispute.evidence_due_at is not None:
            left = duration(dispute.evidence_due_at - now)
            text = f"Evidence is taken until {formats.time(dispute.evidence_due_at)}, {left} from now."
        needed.append(("bad", title, text, "Evidence", f"/orders/{order.id}/evidence"))
    if len(waiting) > _NAMED:
        needed.append(("bad", "More orders are disputed", "Their evidence is due later.", "Look", "/orders"))
    return needed


def _failing(receivers: Sequence[Receiver], now: Instant) -> Iterator[Need]:
    failing = [receiver for receiver in receivers if receiver.is_failing]
    for receiver in failing[:_NAMED]:
        since = f" for {duration(now - receiver.failing_since)}" if receiver.failing_since else ""
        waits = plural(receiver.waiting, "delivery waits", "deliveries wait")
        text = f"{waits}. The last attempt: {receiver.last_answer}."
        yield "bad", f"{receiver.name} has failed{since}", text, "Look", f"/webhooks/{receiver.id}"
    if more := len(failing[_NAMED:]):
        yield "bad", plural(more, "more receiver fails", "more receivers fail"), "", "Look", "/webhooks"


async def _servers(tx: Transaction, formats: Formats, now: Instant) -> list[Need]:
    servers, failures = await servers_db.ROWS.find(tx), await servers_db.failures(tx)
    needed: list[Need] = []
    for server in servers:
        path = f"/servers/{server.id}"
        if server.last_seen_at is not None and server.is_silent(now):
            title = f"{server.name} has been silent for {duration(now - server.last_seen_at)}"
            text = f"It has not asked for commands since {formats.time(server.last_seen_at)}. What is bought waits."
            needed.append(("bad", title, text, "Look", path))
        if failed := failures.get(server.id):
            title = f"{plural(failed, 'command')} failed on {server.name}"
            text = f"Someone must send {'it' if failed == 1 else 'them'} again."
            needed.append(("bad", title, text, "Look", path))
    if len(needed) > _NAMED:
        needed[_NAMED:] = [("bad", "More servers need you", "Silence or failed commands.", "Look", "/servers")]
    return needed


async def _payments(tx: Transaction) -> list[Need]:
    unmatched = await payment_events_db.count_unmatched(tx)
    if not unmatched:
        return []
    title = plural(unmatched, "payment event fits no order", "payment events fit no order")
    return [
        ("warn", title, "The provider reported money that no order accounts for.", "Look", "/payments?status=unmatched")
    ]


async def _keys(tx: Transaction) -> list[Need]:
    lines = await waiting_db.count(tx)
    if not lines:
        return []
    title = f"{plural(lines, 'paid line waits', 'paid lines wait')} for a key"
    return [("bad", title, "The next keys that you add go to them.", "Add keys", "/products?delivery_type=keys")]


async def _decisions(visit: Visit, tx: Transaction) -> list[Need]:
    waiting = await fraud_queue_db.to_decide(tx)
    if waiting.since is None:
        return []
    title = f"{plural(waiting.count, 'order waits', 'orders wait')} for a decision"
    sum_held = "Held" if visit.user.permissions.hides_revenue else f"{visit.formats.money(waiting.total)} held"
    text = f"{sum_held}, the oldest for {duration(visit.now - waiting.since)}."
    return [("warn", title, text, "Review", "/fraud")]


async def _tickets(tx: Transaction) -> list[Need]:
    tickets = await ticket_figures_db.total(tx, {"status": "open"})
    if not tickets:
        return []
    urgent = await ticket_figures_db.total(tx, {"status": "open", "priority": "urgent"})
    text = "None of them is urgent." if tickets > 1 else "It is not urgent."
    if urgent:
        text = f"{plural(urgent, 'is', 'are')} urgent."
    return [("warn", f"{plural(tickets, 'ticket')} without an answer", text, "Answer", "/tickets?status=open")]
