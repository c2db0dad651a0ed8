"""The tour of the demo: five things that few other panels have, each on a record of the store."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response

from lootkeep.console import guard
from lootkeep.console.page import PREFIX, Visit
from lootkeep.deps import Deps
from lootkeep.domain.roles import Scope
from lootkeep.kernel.paging import ListRequest, PageRequest
from lootkeep.services import receivers as receivers_service
from lootkeep.storage import demo as demo_db
from lootkeep.storage.fraud import queue as fraud_queue_db
from lootkeep.storage.payments import events as payment_events_db

_OFF = "off"
_RULE = {"try": "yes", "name": "Throwaway address", "expression": "is_disposable_email", "action": "block"}
_RULE |= {"mode": "shadow"}


class Step(NamedTuple):
    """One thing to look at; its number is in the address, so that the page knows what comes next."""

    number: int
    title: str
    sentence: str
    scope: Scope
    path: str

    @property
    def url(self) -> str:
        return f"{PREFIX}{self.path}{'&' if '?' in self.path else '?'}tour={self.number}"


class Banner(NamedTuple):
    steps: list[Step]
    # None before the first step.
    step: Step | None
    # None after the last one.
    next: Step | None


# What each step is about, and the scope of its page.
_TEXTS: tuple[tuple[str, str, Scope], ...] = (
    (
        "An order that is held, and why",
        "Each reason has its points and its fact, with what follows from a decision and how others like it ended.",
        "fraud:read",
    ),
    (
        "A key that arrived, with its proof",
        "What was handed over, when and to whom, above the story of the order. A dispute is answered with it.",
        "orders:read",
    ),
    (
        "A payment that fits no order",
        "Providers report payments by themselves. What does not fit waits with its likely orders until you decide.",
        "payments:read",
    ),
    (
        "A receiver that fails, and the diagnosis",
        "Every attempt with its answer, what is wrong and since when, and the way to send again what was missed.",
        "webhooks:read",
    ),
    (
        "A rule tried on past orders",
        "Which orders it would have stopped, and how they ended, before anything is saved.",
        "fraud:read",
    ),
)


async def steps(deps: Deps) -> list[Step]:
    """Where a record is gone, such as a held order that was released, the list that it was in."""
    first = PageRequest(1, 1)
    async with deps.db.read() as tx:
        checks, _ = await fraud_queue_db.QUEUE.page(tx, ListRequest(first, {"is_held": True}, "risk_score"))
        order = await demo_db.order_with_key(tx)
        payments, _ = await payment_events_db.LISTING.page(tx, ListRequest(first, {"status": "unmatched"}, "id"))
        failing = await receivers_service.failing(tx, deps.clock.now())
    paths = (
        f"/fraud?check={checks[0].id}" if checks else "/fraud",
        f"/orders/{order.id}" if order else "/orders",
        f"/payments/{payments[0].id}" if payments else "/payments",
        f"/webhooks/{failing[0].id}" if failing else "/webhooks",
        f"/fraud/rules?{urlencode(_RULE)}",
    )
    return [Step(number, *_TEXTS[number - 1], path) for number, path in enumerate(paths, 1)]


async def banner(visit: Visit) -> Banner | None:
    """On each step of the tour, and on the overview until someone closes it."""
    asked = visit.query.get("tour", "")
    if visit.person is None or not visit.deps.demo.is_begun or asked == _OFF:
        return None
    is_offered = visit.page.path == "" and not guard.is_tour_closed(visit)
    if not (asked or is_offered):
        return None
    allowed = [step for step in await steps(visit.deps) if visit.person.may(step.scope)]
    current = next((step for step in allowed if str(step.number) == asked), None)
    later = [step for step in allowed if current is None or step.number > current.number]
    return Banner(allowed, current, later[0] if later else None)


def remember(visit: Visit, response: Response) -> None:
    if visit.query.get("tour") == _OFF:
        guard.close_tour(response, visit)
