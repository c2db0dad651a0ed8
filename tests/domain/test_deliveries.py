"""The schedule of retries in virtual time: never early, at most six sends, always an end, clock jumps included.

`LOOTKEEP_TEST_SCHEDULES=100000 pytest tests/domain/test_deliveries.py` walks through a hundred thousand of them;
`LOOTKEEP_TEST_SEED` chooses others.
"""

from __future__ import annotations

import json
import os
import random
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lootkeep.domain import deliveries as deliveries_rules
from lootkeep.domain.deliveries import DEADLINE_SECONDS, LEASE, RETRY_SECONDS, AttemptResult, settle
from lootkeep.domain.settlement import Settlement
from lootkeep.kernel.clock import DAY, SECOND, Instant
from tests.world import NOON

SCHEDULES = int(os.environ.get("LOOTKEEP_TEST_SCHEDULES", "20000"))
SEED = int(os.environ.get("LOOTKEEP_TEST_SEED", "20261115"))
FAILED = AttemptResult(False, 500, 12, "answered 500", None)
DELIVERED = AttemptResult(True, 200, 12, None, None)


class WorkerStep(NamedTuple):
    """One poll of a worker: how far the clock moved before it, and the answer of the receiver."""

    jump: int
    is_delivered: bool
    latency: int
    chance: float


class SentAttempt(NamedTuple):
    at: int
    due_at: int


# Mostly forwards, across whole delays; now and then back, as when a machine's clock is set.
jumps = st.integers(0, DAY) | st.sampled_from([0, 1, *(d * SECOND for d in RETRY_SECONDS)]) | st.integers(-DAY, 2 * DAY)
steps = st.builds(
    WorkerStep, jumps, st.sampled_from([False] * 7 + [True]), st.integers(0, 10 * SECOND), st.floats(0, 1)
)
delays = st.just(RETRY_SECONDS) | st.lists(st.integers(1, 100_000), max_size=8).map(tuple)


def walk(schedule: tuple[int, ...], looks: list[WorkerStep]) -> tuple[list[SentAttempt], list[Settlement]]:
    """A worker that polls at any time of the clock and sends what is due."""
    now, sent, settled = NOON, list[SentAttempt](), list[Settlement]()
    state = Settlement("pending", Instant(now), 0)
    for look in looks:
        now = Instant(now + look.jump)
        if state.status != "pending" or state.due_at > now:
            continue
        sent.append(SentAttempt(now, state.due_at))
        now = Instant(now + look.latency)
        state = settle(DELIVERED if look.is_delivered else FAILED, state.failures, now, schedule, look.chance)
        settled.append(state)
    return sent, settled


def check(schedule: tuple[int, ...], looks: list[WorkerStep]) -> None:
    """Never early, never more sends than asked for, nothing after the end, and an end when all is used up."""
    sent, settled = walk(schedule, looks)
    assert len(sent) <= len(schedule) + 1
    assert all(attempt.at >= attempt.due_at for attempt in sent)
    assert all(state.status == "pending" for state in settled[:-1])
    if len(sent) == len(schedule) + 1:
        assert settled[-1].status in {"delivered", "failed"}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(delays, st.lists(steps, max_size=15))
def test_any_schedule_is_never_early_never_too_long_and_ends(
    schedule: tuple[int, ...], looks: list[WorkerStep]
) -> None:
    check(schedule, looks)


def test_thousands_of_random_schedules_keep_the_same_rules() -> None:
    chance = random.Random(SEED)
    sends = 0
    for _ in range(SCHEDULES):
        schedule = RETRY_SECONDS if chance.random() < 0.5 else random_delays(chance)
        looks = [random_step(chance) for _ in range(chance.randint(1, 25))]
        check(schedule, looks)
        sends += len(walk(schedule, looks)[0])
    assert sends > SCHEDULES


def random_delays(chance: random.Random) -> tuple[int, ...]:
    return tuple(chance.randint(1, 50_000) for _ in range(chance.randint(0, 8)))


def random_step(chance: random.Random) -> WorkerStep:
    jump = chance.choice(
        [0, 1, chance.randint(0, DAY), chance.choice(RETRY_SECONDS) * SECOND, chance.randint(-DAY, DAY)]
    )
    return WorkerStep(jump, chance.random() < 0.1, chance.randint(0, 10 * SECOND), chance.random())


@settings(max_examples=200, deadline=None)
@given(delays, st.integers(0, 20), st.floats(0, 1), st.integers(-DAY, DAY))
def test_a_retry_waits_for_its_delay_from_the_failure_and_at_most_a_tenth_longer(
    schedule: tuple[int, ...], failures: int, chance: float, moved: int
) -> None:
    now = Instant(NOON + moved)
    after = settle(FAILED, failures, now, schedule, chance)
    assert after.failures == failures + 1
    if failures >= len(schedule):
        assert after == Settlement("failed", now, failures + 1, "answered 500")
    else:
        delay = schedule[failures] * SECOND
        assert after.status == "pending"
        assert now + delay <= after.due_at <= now + delay + delay // 10


@settings(max_examples=200, deadline=None)
@given(delays, st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=9, max_size=9))
def test_polling_when_due_always_ends_a_delivery(schedule: tuple[int, ...], answers: list[tuple[bool, float]]) -> None:
    state = Settlement("pending", Instant(NOON), 0)
    sends = 0
    for is_delivered, chance in answers:
        if state.status != "pending":
            break
        sends += 1
        state = settle(DELIVERED if is_delivered else FAILED, state.failures, state.due_at, schedule, chance)
    assert state.status == ("delivered" if any(good for good, _ in answers[: len(schedule) + 1]) else "failed")
    assert sends <= len(schedule) + 1


@pytest.mark.parametrize("failures", range(7))
def test_a_success_ends_the_delivery_whatever_came_before(failures: int) -> None:
    assert settle(DELIVERED, failures, NOON, RETRY_SECONDS, 0.5) == Settlement("delivered", NOON, failures)


def test_the_schedule_matches_the_specification() -> None:
    minutes = [seconds // 60 for seconds in RETRY_SECONDS]
    assert minutes == [5, 30, 2 * 60, 6 * 60, 12 * 60]
    waits = [settle(FAILED, failures, NOON, RETRY_SECONDS, 0.0).due_at - NOON for failures in range(5)]
    assert waits == [seconds * SECOND for seconds in RETRY_SECONDS]


def test_without_retries_the_first_failure_is_the_last() -> None:
    assert settle(FAILED, 0, NOON, (), 0.9).status == "failed"


def test_a_lease_is_longer_than_the_deadline_with_room_to_settle() -> None:
    assert LEASE >= 2 * DEADLINE_SECONDS * SECOND


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_the_body_carries_the_bytes_of_the_event_as_they_were_recorded(data: dict[str, str | int | None]) -> None:
    recorded = json.dumps(data, ensure_ascii=False)
    body = deliveries_rules.body("wh_1", "order.paid", "2026-11-15T12:00:00Z", recorded)
    head = '{"id":"wh_1","event_type":"order.paid","created_at":"2026-11-15T12:00:00Z"'
    assert body == f'{head},"data":{recorded}}}'
    assert json.loads(body) == {
        "id": "wh_1",
        "event_type": "order.paid",
        "created_at": "2026-11-15T12:00:00Z",
        "data": data,
    }
