"""Instants: whole microseconds since the epoch, written in one form, by a clock that is handed in."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from lootkeep.kernel.clock import DAY, HOUR, MINUTE, SECOND, Instant, ManualClock, SystemClock, instant, iso

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

moments = st.integers(0, 200 * 365 * 86_400 * 10**6).map(lambda elapsed: EPOCH + timedelta(microseconds=elapsed))


def test_the_units_are_multiples_of_a_microsecond() -> None:
    assert (SECOND, MINUTE, HOUR, DAY) == (10**6, 60 * 10**6, 3_600 * 10**6, 86_400 * 10**6)


def test_a_time_is_written_in_utc_with_whole_seconds() -> None:
    assert iso(instant(datetime(2026, 11, 15, 10, 30, tzinfo=UTC))) == "2026-11-15T10:30:00Z"


def test_a_part_of_a_second_is_left_out_and_never_rounded_up() -> None:
    assert iso(Instant(59 * SECOND + 999_999)) == "1970-01-01T00:00:59Z"


@pytest.mark.parametrize("hours", [-11, 0, 5.5, 14])
def test_an_instant_does_not_depend_on_the_zone_it_is_given_in(hours: float) -> None:
    moment = datetime(2026, 3, 29, 1, 0, tzinfo=UTC)
    assert instant(moment.astimezone(timezone(timedelta(hours=hours)))) == instant(moment)


@given(moments)
def test_every_instant_round_trips_through_text_to_the_second(moment: datetime) -> None:
    assert datetime.fromisoformat(iso(instant(moment))) == moment.replace(microsecond=0)


@given(moments, moments)
def test_instants_sort_like_their_datetimes(first: datetime, second: datetime) -> None:
    assert (instant(first) < instant(second)) == (first < second)


@given(moments)
def test_the_day_of_an_instant_is_arithmetic(moment: datetime) -> None:
    assert instant(moment) // DAY == (moment.date() - EPOCH.date()).days


def test_a_manual_clock_does_not_move_until_it_is_moved() -> None:
    clock = ManualClock(Instant(5 * SECOND))
    before = clock.now()
    clock.advance(DAY)
    assert (before, clock.now()) == (5 * SECOND, 5 * SECOND + DAY)


def test_setting_a_manual_clock_does_not_count_as_elapsed_time() -> None:
    clock = ManualClock(Instant(5 * DAY))
    clock.advance(2 * SECOND)
    clock.set_to(Instant(4 * DAY))
    assert (clock.now(), clock.monotonic()) == (4 * DAY, 2.0)


def test_elapsed_time_never_decreases() -> None:
    manual, system = ManualClock(Instant(DAY)), SystemClock()
    before = system.monotonic()
    manual.advance(3 * SECOND)
    manual.advance(-HOUR)
    assert (manual.monotonic(), system.monotonic() >= before) == (3.0, True)


def test_the_system_clock_reports_the_machines_time_in_microseconds() -> None:
    before = time.time_ns() // 1_000
    now = SystemClock().now()
    assert before <= now <= time.time_ns() // 1_000
