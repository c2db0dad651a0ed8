"""The rules of subscriptions: periods by the calendar, when the next one may be paid, and how they end."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from lootkeep.domain import subscriptions as subscriptions_rules
from lootkeep.domain.products import BillingInterval
from lootkeep.domain.subscriptions import Subscription
from lootkeep.kernel.clock import DAY, HOUR, SECOND, Instant, instant, iso
from lootkeep.kernel.errors import Conflict
from lootkeep.kernel.money import Hundredths

INTERVALS: tuple[BillingInterval, ...] = ("day", "week", "month", "year")


def at(text: str) -> Instant:
    return instant(datetime.fromisoformat(text).replace(tzinfo=UTC))


def subscribed(first: Instant, interval: BillingInterval = "month", count: int = 1, **changes: Any) -> Subscription:
    subscription = Subscription(
        id=5,
        customer_id=1,
        product_id=1,
        product_name="VIP rank",
        status="active",
        price=Hundredths(9_99),
        currency="USD",
        interval=interval,
        interval_count=count,
        current_period_start=first,
        current_period_end=subscriptions_rules.period_start(first, interval, count, 1),
        cancel_at_period_end=False,
        cancelled_at=None,
        ends_at=None,
        cancel_reason=None,
        renewals_count=0,
        latest_order_id=1,
        created_at=first,
        updated_at=first,
    )
    return replace(subscription, **changes)


@pytest.mark.parametrize(
    ("first", "interval", "count", "then"),
    [
        ("2026-11-15T12:00", "day", 1, ["2026-11-16T12:00", "2026-11-17T12:00"]),
        ("2026-12-30T23:59:59", "day", 3, ["2027-01-02T23:59:59", "2027-01-05T23:59:59"]),
        ("2026-11-15T12:00", "week", 2, ["2026-11-29T12:00", "2026-12-13T12:00"]),
        ("2026-11-15T12:00", "month", 1, ["2026-12-15T12:00", "2027-01-15T12:00"]),
        ("2027-01-31T08:30", "month", 1, ["2027-02-28T08:30", "2027-03-31T08:30", "2027-04-30T08:30"]),
        ("2028-01-31T08:30", "month", 1, ["2028-02-29T08:30", "2028-03-31T08:30"]),
        ("2026-11-30T00:00", "month", 3, ["2027-02-28T00:00", "2027-05-30T00:00"]),
        ("2026-12-01T00:00", "month", 12, ["2027-12-01T00:00"]),
        (
            "2028-02-29T00:00",
            "year",
            1,
            ["2029-02-28T00:00", "2030-02-28T00:00", "2031-02-28T00:00", "2032-02-29T00:00"],
        ),
        ("2096-02-29T00:00", "year", 4, ["2100-02-28T00:00", "2104-02-29T00:00"]),
        ("1969-12-31T23:00", "month", 2, ["1970-02-28T23:00"]),
    ],
)
def test_periods_follow_the_calendar_from_the_first_day(
    first: str, interval: BillingInterval, count: int, then: list[str]
) -> None:
    starts = [subscriptions_rules.period_start(at(first), interval, count, number) for number in range(len(then) + 1)]
    assert starts == [at(first), *map(at, then)]


firsts = st.integers(at("2000-01-01T00:00"), at("2100-01-01T00:00")).map(Instant)
intervals = st.sampled_from(INTERVALS)


@given(firsts, intervals, st.integers(1, 365), st.integers(1, 20))
def test_periods_never_overlap_or_leave_gaps(
    first: Instant, interval: BillingInterval, count: int, renewals: int
) -> None:
    subscription = subscribed(first, interval, count)
    for number in range(1, renewals + 1):
        before, subscription = subscription, subscriptions_rules.renewed(subscription, first)
        assert subscription.current_period_start == before.current_period_end
        assert subscription.current_period_end > subscription.current_period_start
        assert subscription.renewals_count == number
        assert (subscription.current_period_end - first) % DAY == 0


@given(firsts, st.integers(1, 240))
def test_a_month_keeps_its_day_or_ends_on_the_last(first: Instant, number: int) -> None:
    begun = datetime.fromtimestamp(first // SECOND, UTC)
    reached = datetime.fromtimestamp(subscriptions_rules.period_start(first, "month", 1, number) // SECOND, UTC)
    is_last_day = (datetime.fromtimestamp(reached.timestamp() + 86400, UTC)).day == 1
    assert reached.day == begun.day or (reached.day < begun.day and is_last_day)
    assert (reached.year * 12 + reached.month) - (begun.year * 12 + begun.month) == number


@given(firsts, intervals, st.integers(1, 365), st.integers(0, 5), st.floats(0, 3), st.floats(0, 0.49))
def test_renewing_again_at_once_is_rejected_unless_more_periods_are_over(
    first: Instant, interval: BillingInterval, count: int, renewals: int, late: float, after: float
) -> None:
    subscription = subscribed(first, interval, count)
    for _ in range(renewals):
        subscription = subscriptions_rules.renewed(subscription, first)
    length = subscription.current_period_end - subscription.current_period_start
    now = Instant(subscriptions_rules.due_at(subscription, first) + int(length * late))
    renewed = subscriptions_rules.renewed(subscription, now)
    again = Instant(now + int((renewed.current_period_end - renewed.current_period_start) * after))
    assert again < subscriptions_rules.due_at(renewed, now) or again >= renewed.current_period_end


@pytest.mark.parametrize(
    ("interval", "count", "due"),
    [
        ("day", 1, "2027-01-31T00:00:00Z"),
        ("month", 1, "2027-01-31T00:00:00Z"),
        ("month", 3, "2027-03-30T00:00:00Z"),
        ("year", 1, "2027-12-31T00:00:00Z"),
    ],
)
def test_the_first_renewal_is_due_31_days_before_the_end_and_never_before_the_period(
    interval: BillingInterval, count: int, due: str
) -> None:
    first = at("2027-01-31T00:00")
    assert iso(subscriptions_rules.due_at(subscribed(first, interval, count), first)) == due


def test_a_period_paid_late_can_be_renewed_at_its_end_at_the_latest() -> None:
    first = at("2026-11-01T00:00")
    renewed = subscriptions_rules.renewed(subscribed(first), first)
    assert iso(subscriptions_rules.due_at(renewed, at("2026-12-02T00:00"))) == "2026-12-17T12:00:00Z"
    assert iso(subscriptions_rules.due_at(renewed, at("2026-12-30T00:00"))) == "2027-01-01T00:00:00Z"


def test_cancelling_to_the_end_of_the_period_keeps_it_active_until_then() -> None:
    first = at("2026-11-15T12:00")
    now = Instant(first + HOUR)
    before = subscribed(first)
    after = subscriptions_rules.cancelled(before, now, at_period_end=True, reason="bored")
    assert after == replace(
        before,
        cancel_at_period_end=True,
        cancelled_at=now,
        ends_at=before.current_period_end,
        cancel_reason="bored",
        updated_at=now,
    )
    assert not subscriptions_rules.has_run_out(after, Instant(before.current_period_end - 1))
    assert subscriptions_rules.has_run_out(after, before.current_period_end)


@pytest.mark.parametrize(("at_period_end", "hours"), [(False, 1), (True, 30 * 24), (True, 40 * 24)])
def test_cancelling_now_or_when_the_period_is_over_ends_it_now(at_period_end: bool, hours: int) -> None:
    before = subscribed(at("2026-11-15T12:00"))
    now = Instant(before.created_at + hours * HOUR)
    after = subscriptions_rules.cancelled(before, now, at_period_end=at_period_end, reason=None)
    assert after == replace(before, status="cancelled", cancelled_at=now, ends_at=now, updated_at=now)
    assert not subscriptions_rules.has_run_out(after, Instant(now + DAY))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"status": "cancelled", "ends_at": Instant(0)}, "subscription_cancelled"),
        ({"status": "expired", "ends_at": Instant(0)}, "subscription_expired"),
        ({"cancel_at_period_end": True}, "subscription_ending"),
        ({"renewals_count": 1}, "subscription_not_due"),
    ],
)
def test_a_cancelled_ended_or_not_yet_due_subscription_is_not_renewed(changes: dict[str, Any], code: str) -> None:
    first = at("2026-11-15T12:00")
    with pytest.raises(Conflict) as rejection:
        subscriptions_rules.require_renewable(subscribed(first, **changes), first, first)
    assert rejection.value.code == code
