"""Judges orders again by their stored facts: from the database, or from a folder of facts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

import msgspec

from lootkeep.deps import Deps
from lootkeep.domain.disputes import Outcome, judged_as
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage.orders import facts as order_facts_db
from lootkeep.toolbox.backtest.reading import PastOrder
from lootkeep.toolbox.backtest.replay import JudgedOrder, Judging
from lootkeep.toolbox.backtest.report import Figures

decode = msgspec.json.Decoder(OrderFacts).decode


class StoredOrder(NamedTuple):
    """An order as it was judged, and what it turned out to be; None if nobody knows."""

    id: int
    created_at: Instant
    total: Hundredths
    outcome: Outcome | None
    # JSON.
    facts: str


async def from_database(deps: Deps) -> AsyncIterator[list[StoredOrder]]:
    """In chronological order, those that were judged, each by its latest check."""
    now = deps.clock.now()
    position = (Instant(0), 0)
    async with deps.db.read(slow=True) as tx:
        while batch := await order_facts_db.after(tx, *position, Instant(now + 1)):
            position = (batch[-1].order.created_at, batch[-1].order.id)
            yield [_stored(placed, now) for placed in batch if placed.checks]


def _stored(placed: order_facts_db.PlacedOrder, now: Instant) -> StoredOrder:
    order, check = placed.order, placed.checks[-1]
    outcome = judged_as(check.truth, check.truth_source, check.action_taken, check.created_at, now)
    return StoredOrder(order.id, order.created_at, order.total, outcome, check.facts)


class StoredOrders:
    """Judges batches of stored orders, and counts those that nobody can judge yet."""

    def __init__(self, policy: Policy, figures: Figures, write_score: Callable[[JudgedOrder], None]) -> None:
        self._judging = Judging(policy)
        self._figures = figures
        self._write_score = write_score
        self.without_outcome = 0

    def judge(self, batch: list[StoredOrder]) -> None:
        for stored in batch:
            if stored.outcome is None:
                self.without_outcome += 1
                continue
            judged = self._judging(_past_order(stored), decode(stored.facts))
            self._figures.add(judged)
            self._write_score(judged)


def _past_order(stored: StoredOrder) -> PastOrder:
    is_fraud = stored.outcome == "fraud"
    return PastOrder(order_id=str(stored.id), is_fraud=is_fraud, created_at=stored.created_at, total=stored.total)


# Facts that a folder leaves out, by the names that rules use. Whether they were on a list is stored.
_PERSONAL = re.compile(r"\b(email|email_domain|ip|card_bin)\b(?!\s+(not\s+)?in\s+@)")


def personal_warnings(policy: Policy) -> list[str]:
    """What these settings ask about the buyer that a folder does not know."""
    trusted = policy.fraud_whitelisted_emails or policy.fraud_whitelisted_ips
    names = [rule.name for rule in policy.rules if rule.mode != "off" and _PERSONAL.search(rule.expression)]
    asking = ["the trusted e-mail and IP addresses"] * bool(trusted) + [f"the rule {name}" for name in names]
    if not asking:
        return []
    return [f"The folder has no personal data, so these settings have no effect: {', '.join(asking)}."]
