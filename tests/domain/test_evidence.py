"""Compelling evidence: which earlier orders count against a dispute."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain.evidence import MAX_AGE, MIN_AGE, OrderTraces, compelling
from lootkeep.kernel.clock import DAY, Instant

AT = Instant(1_000 * DAY)
DISPUTED = OrderTraces(
    order_id=9,
    paid_at=Instant(AT - DAY),
    customer_id=1,
    email="ann@mail.example",
    ip_address="203.0.113.9",
    device="dev-1",
    instrument="card",
    is_disqualified=False,
)
EARLIER = replace(DISPUTED, order_id=1, paid_at=Instant(AT - 200 * DAY))


def counted(*earlier: OrderTraces, disputed: OrderTraces = DISPUTED) -> list[tuple[int, tuple[str, ...]]]:
    return [(match.order_id, match.matches) for match in compelling(disputed, earlier, AT)]


def test_an_undisputed_order_of_the_same_instrument_counts_with_all_that_it_shares() -> None:
    assert counted(EARLIER) == [(1, ("customer", "email", "ip_address", "device"))]


def test_both_ends_of_the_period_count_and_a_microsecond_beyond_does_not() -> None:
    for age, is_counted in ((MIN_AGE, True), (MIN_AGE - 1, False), (MAX_AGE, True), (MAX_AGE + 1, False)):
        assert bool(counted(replace(EARLIER, paid_at=Instant(AT - age)))) is is_counted, age


def test_another_instrument_or_none_does_not_count() -> None:
    assert counted(replace(EARLIER, instrument="other")) == []
    assert counted(replace(EARLIER, instrument=None), disputed=replace(DISPUTED, instrument=None)) == []


def test_a_reported_or_refunded_order_does_not_count() -> None:
    assert counted(replace(EARLIER, is_disqualified=True)) == []


def test_the_address_or_the_device_must_match_and_one_more() -> None:
    stranger = replace(EARLIER, customer_id=2, email="bob@mail.example", ip_address="198.51.100.1", device="dev-2")
    assert counted(stranger) == []
    assert counted(replace(stranger, customer_id=1, email="ann@mail.example")) == []
    assert counted(replace(stranger, device="dev-1")) == []
    assert counted(replace(stranger, device="dev-1", customer_id=1)) == [(1, ("customer", "device"))]
    assert counted(replace(stranger, device="dev-1", ip_address="203.0.113.9")) == [(1, ("ip_address", "device"))]


def test_what_neither_order_has_does_not_match() -> None:
    nothing = replace(DISPUTED, ip_address=None, device=None)
    assert counted(replace(EARLIER, ip_address=None, device=None), disputed=nothing) == []


def test_the_order_itself_does_not_count_and_the_newest_is_first() -> None:
    older = replace(EARLIER, order_id=2, paid_at=Instant(AT - 300 * DAY))
    itself = replace(DISPUTED, paid_at=Instant(AT - 200 * DAY))
    assert [order_id for order_id, _ in counted(older, EARLIER, itself)] == [1, 2]
