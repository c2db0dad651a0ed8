"""A replay learns of a dispute at its time: no label counts before, and the column of labels never counts."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import HealthCheck, given, settings as options, strategies as st
from msgspec.structs import replace

from lootkeep.domain.fraud.facts import NetworkFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import Verdict
from lootkeep.kernel.clock import HOUR, Instant
from lootkeep.toolbox.backtest.reading import COLUMNS, PastOrder, PastOrders
from lootkeep.toolbox.backtest.replay import replay

BEGIN = 1_763_200_000_000_000


class NoLists:
    """Intelligence without any list."""

    def network(self, ip_address: str) -> NetworkFacts:
        return NetworkFacts()

    def is_disposable(self, domain: str) -> bool:
        return False


def judged(orders: list[PastOrder]) -> list[Verdict]:
    past = PastOrders(frozenset(COLUMNS), orders)
    return [order.verdict for order in asyncio.run(replay(past, Policy(), NoLists(), lambda done: None))]


def order(number: int, hours: int, who: str, disputed_after: int | None = None, **fields: Any) -> PastOrder:
    at = BEGIN + hours * HOUR
    return PastOrder(
        order_id=str(number),
        is_fraud=False,
        created_at=Instant(at),
        customer_id=who,
        disputed_at=None if disputed_after is None else Instant(at + disputed_after * HOUR),
        **fields,
    )


row = st.tuples(
    st.integers(0, 60),
    st.sampled_from("abc"),
    st.none() | st.integers(0, 40),
    st.none() | st.sampled_from(["phone", "desk"]),
    st.none() | st.sampled_from(["card-1", "card-2"]),
)


@options(suppress_health_check=[HealthCheck.too_slow], max_examples=25, deadline=None)
@given(st.lists(row, max_size=12))
def test_no_label_counts_before_its_time(rows: list[Any]) -> None:
    orders = [
        order(number, hours, who, disputed, device_id=device, payment_fingerprint=card)
        for number, (hours, who, disputed, device, card) in enumerate(rows)
    ]
    verdicts = judged(orders)
    for index, judged_order in enumerate(orders):
        assert judged_order.created_at is not None
        labels = [_known_at(past, judged_order.created_at) for past in orders]
        assert judged(labels)[index] == verdicts[index]
    assert judged([replace(past, is_fraud=True) for past in orders]) == verdicts


def _known_at(past: PastOrder, at: Instant) -> PastOrder:
    """The order without a dispute that comes later."""
    is_later = past.disputed_at is not None and past.disputed_at > at
    return replace(past, disputed_at=None) if is_later else past


def test_a_label_counts_from_its_time_on_by_its_closest_link() -> None:
    fraud = order(1, 0, "a", 48, device_id="phone", payment_fingerprint="card", player="rust:7")
    later = [
        order(2, 47, "a"),
        order(3, 48, "a"),
        order(4, 49, "b", payment_fingerprint="card"),
        order(5, 50, "c", device_id="phone"),
        order(6, 51, "d"),
        order(7, 52, "e", player="rust:7"),
    ]
    points = [verdict.signals.get("confirmed_fraud", 0) for verdict in judged([fraud, *later])]
    assert points == [0, 0, 60, 40, 20, 0, 20]


def test_trust_ends_with_a_dispute() -> None:
    first = order(1, 0, "a", 80 * 24)
    signals = [verdict.signals for verdict in judged([first, order(2, 70 * 24, "a"), order(3, 90 * 24, "a")])]
    assert (signals[1].get("trusted_customer"), signals[2].get("trusted_customer")) == (-15, None)
