"""Shared counters of several processes: sums never decrease and are the same in each."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry

from lootkeep import wiring
from lootkeep.api.http.metrics import Metrics
from lootkeep.engines.counts import PART_BYTES, Counts, Metric, mark_ended

ORDERS = Metric("test_orders_total", "Orders.", ("status",))
SECONDS = Metric("test_seconds", "Time.", bounds=(0.1, 1.0))
STATUSES = (200, 201, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503)


def read(counts: Counts, name: str, **labels: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(counts)
    return registry.get_sample_value(name, labels)


def memory(parts: int) -> Any:
    return bytearray(parts * PART_BYTES)


def test_every_process_reads_the_sums_of_all_processes() -> None:
    shared = memory(2)
    parts = [Counts(shared, 0), Counts(shared, 1)]
    for part, times in zip(parts, (2, 3), strict=True):
        for _ in range(times):
            part.counter(ORDERS, "paid").inc()
            part.histogram(SECONDS).observe(0.5)
    parts[1].counter(ORDERS, "held").inc()
    for part in parts:
        assert read(part, "test_orders_total", status="paid") == 5
        assert read(part, "test_orders_total", status="held") == 1
        assert [read(part, "test_seconds_bucket", le=le) for le in ("0.1", "1.0", "+Inf")] == [0, 5, 5]
        assert (read(part, "test_seconds_count"), read(part, "test_seconds_sum")) == (5, 2.5)


def test_a_replacement_process_continues_the_counts_of_its_predecessor() -> None:
    shared = memory(1)
    Counts(shared).counter(ORDERS, "paid").inc()
    successor = Counts(shared)
    successor.counter(ORDERS, "held").inc()
    successor.counter(ORDERS, "paid").inc()
    assert [read(successor, "test_orders_total", status=status) for status in ("paid", "held")] == [2, 1]


def test_a_value_on_a_bucket_bound_is_within_it_and_a_value_above_all_bounds_is_counted() -> None:
    counts = Counts()
    for value in (0.1, 1.0, 7.0):
        counts.histogram(SECONDS).observe(value)
    assert [read(counts, "test_seconds_bucket", le=le) for le in ("0.1", "1.0", "+Inf")] == [1, 2, 3]


def test_a_process_counts_as_running_until_its_exit_is_noticed() -> None:
    shared = memory(2)
    parts = [Counts(shared, 0), Counts(shared, 1)]
    for part, seconds in zip(parts, (100.5, 200.5), strict=True):
        part.mark_started(seconds)
    parts[0].counter(ORDERS, "paid").inc()
    assert parts[1].started() == [100.5, 200.5]
    mark_ended(shared, 0)
    assert parts[1].started() == [200.5]
    parts[1].declare(ORDERS)
    assert read(parts[1], "test_orders_total", status="paid") == 1


def test_a_full_part_keeps_counting_existing_series() -> None:
    counts = Counts()
    first = counts.counter(ORDERS, "first")
    for number in range(PART_BYTES // 32):
        counts.counter(ORDERS, f"status-{number:020}").inc()
    counts.counter(ORDERS, "last").inc()
    first.inc()
    assert read(counts, "test_orders_total", status="first") == 1
    assert read(counts, "test_orders_total", status="last") is None


def test_there_is_room_for_every_route_with_every_status() -> None:
    metrics = Metrics()
    rows = [route for group in wiring.groups() for route in group.routes]
    for route in rows:
        for status in STATUSES:
            metrics.observe(route, status, 0.001)
    text = metrics.text([]).decode()
    assert text.count("lootkeep_requests_total{") == len({(route.method, route.path) for route in rows}) * len(STATUSES)
