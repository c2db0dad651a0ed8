"""Judges past orders one after the other, each with what was known at its time and nothing later."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Protocol

import msgspec
from msgspec.structs import replace

from lootkeep.domain import identity as identity_rules
from lootkeep.domain.fraud import email_addresses
from lootkeep.domain.fraud.facts import EmailFacts, History, NetworkFacts, OrderFacts, Payment
from lootkeep.domain.fraud.policy import Policy, Sensitivity
from lootkeep.domain.fraud.score import THRESHOLDS, Action, Verdict, decide, judge
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.storage import in_memory as in_memory_db
from lootkeep.toolbox.backtest.reading import PastOrder, PastOrders
from lootkeep.toolbox.backtest.store import ReplayStore

_STEP = 500


class IntelligenceLookup(Protocol):
    """What local lists know about IP addresses and e-mail domains."""

    def network(self, ip_address: str) -> NetworkFacts: ...

    def is_disposable(self, domain: str) -> bool: ...


class JudgedOrder(msgspec.Struct, frozen=True, gc=False):
    """An order, its verdict, and what each sensitivity would have done."""

    order: PastOrder
    verdict: Verdict
    actions: dict[Sensitivity, Action]


class Judging:
    """Judges facts by one policy, and decides by each sensitivity."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._levels = {level: replace(policy, fraud_sensitivity_level=level) for level in THRESHOLDS}

    def __call__(self, order: PastOrder, facts: OrderFacts) -> JudgedOrder:
        verdict = judge(facts, self._policy)
        actions = {level: decide(facts, policy, verdict.risk_score) for level, policy in self._levels.items()}
        return JudgedOrder(order, verdict, actions)


async def replay(
    past: PastOrders, policy: Policy, intelligence: IntelligenceLookup, advance: Callable[[int], None]
) -> list[JudgedOrder]:
    """In chronological order if there are times; the result is in the order of the file."""
    judging = Judging(policy)
    judged: list[JudgedOrder | None] = [None] * len(past.orders)
    # Sorting keeps the file's order among equals.
    in_time = sorted(range(len(past.orders)), key=lambda index: past.orders[index].created_at or 0)
    with in_memory_db.transaction() as tx:
        store, upcoming = ReplayStore(tx, policy), _Upcoming()
        for sign_up in _sign_ups(past.orders):
            upcoming.add(sign_up.customer_created_at, partial(store.sign_up, sign_up))
        for number, index in enumerate(in_time):
            past_order = past.orders[index]
            if past_order.created_at is not None:
                await upcoming.run_until(past_order.created_at)
            order, history = await store.place(past_order)
            for at in past_order.declined_at:
                upcoming.add(at, partial(store.decline, order, max(at, order.created_at)))
            if past_order.disputed_at is not None:
                at = max(past_order.disputed_at, order.created_at)
                upcoming.add(at, partial(store.dispute, order, past_order, at))
            facts = _facts(past_order, history, past, intelligence)
            judged[index] = judging(past_order, facts)
            if number % _STEP == 0:
                advance(number)
    return [judged_order for judged_order in judged if judged_order]


class _Upcoming:
    """What the store learns between orders, each at its time and never before."""

    def __init__(self) -> None:
        self._heap: list[tuple[Instant, int, Callable[[], Awaitable[None]]]] = []
        self._numbers = count()

    def add(self, at: Instant | None, remember: Callable[[], Awaitable[None]]) -> None:
        heappush(self._heap, (at or Instant(0), next(self._numbers), remember))

    async def run_until(self, at: Instant) -> None:
        while self._heap and self._heap[0][0] <= at:
            await heappop(self._heap)[2]()


def _sign_ups(orders: Sequence[PastOrder]) -> Iterable[PastOrder]:
    """An order of each account whose creation has a time: what it signed up with."""
    accounts: dict[str, PastOrder] = {}
    for order in orders:
        if order.account is not None and order.customer_created_at is not None:
            accounts.setdefault(order.account, order)
    return accounts.values()


def _facts(order: PastOrder, history: History, past: PastOrders, intelligence: IntelligenceLookup) -> OrderFacts:
    """What the store would have known."""
    is_timed = order.created_at is not None
    if not is_timed:
        # Only the order of the rows is known: nothing can be said about an hour or a week.
        names = ("device_accounts", "instrument_accounts", "player_accounts")
        history = History(**{name: getattr(history, name) for name in names})
    return OrderFacts(
        at=order.created_at or Instant(0),
        email=order.email,
        ip_address=order.ip_address,
        amount=order.total or Hundredths(0),
        customer_created_at=order.customer_created_at if is_timed else None,
        billing_country=order.billing_country,
        user_agent=order.user_agent,
        is_user_agent_asked="user_agent" in past.columns,
        has_device=order.device_id is not None,
        player=order.player,
        network=intelligence.network(order.ip_address) if order.ip_address else NetworkFacts(),
        mail=_email_facts(order.email, intelligence),
        payment=Payment(instrument=order.payment_fingerprint, country=order.payment_country),
        history=history,
    )


def _email_facts(email: str, intelligence: IntelligenceLookup) -> EmailFacts:
    if not email:
        return EmailFacts()
    return email_addresses.describe(email, is_disposable=intelligence.is_disposable(identity_rules.domain_of(email)))
