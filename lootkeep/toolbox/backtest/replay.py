"""Judges past orders one after the other, each with what was known at its time and nothing later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Protocol

import msgspec
from msgspec.structs import replace

from lootkeep.domain import identity as identity_rules
from lootkeep.domain.addresses import network_key
from lootkeep.domain.fraud import email_addresses
from lootkeep.domain.fraud.facts import EmailFacts, History, NetworkFacts, OrderFacts, Payment
from lootkeep.domain.fraud.memory import OrderHistory, Sighting
from lootkeep.domain.fraud.policy import Policy, Sensitivity
from lootkeep.domain.fraud.score import THRESHOLDS, Action, Verdict, decide, judge
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.toolbox.backtest.reading import PastOrder, PastOrders

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


def replay(
    past: PastOrders, policy: Policy, intelligence: IntelligenceLookup, advance: Callable[[int], None]
) -> list[JudgedOrder]:
    """In chronological order if there are times; the result is in the order of the file."""
    policies = {level: replace(policy, fraud_sensitivity_level=level) for level in THRESHOLDS}
    memory = OrderHistory(policy.fraud_velocity_window_minutes)
    upcoming = _Upcoming()
    for sign_up in _sign_ups(past.orders):
        upcoming.add(sign_up.at, partial(memory.remember_sign_up, sign_up))
    judged: list[JudgedOrder | None] = [None] * len(past.orders)
    # Sorting keeps the file's order among equals.
    in_time = sorted(range(len(past.orders)), key=lambda index: past.orders[index].created_at or 0)
    for number, index in enumerate(in_time):
        order = past.orders[index]
        sighting = _sighting(order)
        if order.created_at is not None:
            upcoming.run_until(order.created_at)
        facts = _facts(order, sighting, past, memory, intelligence)
        for at in order.declined_at:
            upcoming.add(max(at, sighting.at), partial(memory.remember_decline, sighting, max(at, sighting.at)))
        if order.disputed_at is not None:
            upcoming.add(max(order.disputed_at, sighting.at), partial(memory.remember_dispute, sighting))
        verdict = judge(facts, policy)
        actions = {level: decide(facts, policies[level], verdict.risk_score) for level in policies}
        judged[index] = JudgedOrder(order, verdict, actions)
        if number % _STEP == 0:
            advance(number)
    return [judged_order for judged_order in judged if judged_order]


class _Upcoming:
    """What the store learns between orders, each at its time and never before."""

    def __init__(self) -> None:
        self._heap: list[tuple[Instant, int, Callable[[], None]]] = []
        self._numbers = count()

    def add(self, at: Instant, remember: Callable[[], None]) -> None:
        heappush(self._heap, (at, next(self._numbers), remember))

    def run_until(self, at: Instant) -> None:
        while self._heap and self._heap[0][0] <= at:
            heappop(self._heap)[2]()


def _sign_ups(orders: Sequence[PastOrder]) -> list[Sighting]:
    """When accounts were created and what they were seen with; each account once."""
    accounts: dict[str, Sighting] = {}
    for order in orders:
        if order.account is None or order.account in accounts or order.customer_created_at is None:
            continue
        accounts[order.account] = Sighting(
            at=order.customer_created_at,
            account=order.account,
            address=network_key(order.signup_ip_address) if order.signup_ip_address else None,
            mailbox=None,
            device=order.signup_device_id,
        )
    return list(accounts.values())


def _sighting(order: PastOrder) -> Sighting:
    return Sighting(
        at=order.created_at or Instant(0),
        account=order.account,
        account_created_at=order.customer_created_at,
        address=network_key(order.ip_address) if order.ip_address else None,
        mailbox=order.mailbox,
        device=order.device_id,
        instrument=order.payment_fingerprint,
        amount=order.total,
    )


def _facts(
    order: PastOrder, sighting: Sighting, past: PastOrders, memory: OrderHistory, intelligence: IntelligenceLookup
) -> OrderFacts:
    """What the store would have known; the order is remembered immediately, whatever its outcome."""
    history = memory.history(sighting)
    memory.remember(sighting)
    is_timed = order.created_at is not None
    if not is_timed:
        # Only the order of the rows is known: nothing can be said about an hour or a week.
        history = History(device_accounts=history.device_accounts, instrument_accounts=history.instrument_accounts)
    return OrderFacts(
        at=sighting.at,
        email=order.email,
        ip_address=order.ip_address,
        amount=order.total or Hundredths(0),
        customer_created_at=order.customer_created_at if is_timed else None,
        billing_country=order.billing_country,
        user_agent=order.user_agent,
        is_user_agent_asked="user_agent" in past.columns,
        has_device=order.device_id is not None,
        network=intelligence.network(order.ip_address) if order.ip_address else NetworkFacts(),
        mail=_email_facts(order.email, intelligence),
        payment=Payment(instrument=order.payment_fingerprint, country=order.payment_country),
        history=history,
    )


def _email_facts(email: str, intelligence: IntelligenceLookup) -> EmailFacts:
    if not email:
        return EmailFacts()
    return email_addresses.describe(email, is_disposable=intelligence.is_disposable(identity_rules.domain_of(email)))
