"""What a process reports to Prometheus: what the edge counted, and what it reads at each scrape."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from lootkeep import __version__
from lootkeep.api.http.routes import Endpoint
from lootkeep.services.payments import REJECTIONS

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# Paths without a route are counted together; otherwise a scanner could fill the memory with labels.
_UNKNOWN = "unknown"
# When each series was first counted: as many lines again, which nobody reads.
disable_created_metrics()


class Metrics:
    """The counts of a process, or of all processes that count in the folder `PROMETHEUS_MULTIPROC_DIR`."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        words = "Processes that serve."
        self._processes = Gauge("lootkeep_processes", words, registry=registry, multiprocess_mode="livesum")
        words = "When the youngest of them started, as a Unix time."
        self._started = Gauge("lootkeep_start_time_seconds", words, registry=registry, multiprocess_mode="livemax")
        labels = ("method", "path", "status")
        self._requests = Counter("lootkeep_requests_total", "Requests answered.", labels, registry=registry)
        self._seconds = Histogram(
            "lootkeep_request_seconds", "Time to answer.", ("method", "path"), buckets=_SECONDS, registry=registry
        )
        words = "Requests refused because of overload."
        self.refused = Counter("lootkeep_requests_refused_total", words, registry=registry)
        words = "Requests with a test token, which no other figure counts."
        self.test_requests = Counter("lootkeep_test_requests_total", words, registry=registry)
        words = "Events of payment providers, by what the inbox did with them."
        events = Counter("lootkeep_inbox_events_total", words, ("result",), registry=registry)
        # All from the start: a rate that begins with the first event would not show it.
        self.events = {result: events.labels(result) for result in ("received", "repeated", *REJECTIONS)}
        words = "Requests that read, by the database, where there is a replica."
        reads = Counter("lootkeep_reads_total", words, ("database",), registry=registry)
        self._reads = {True: reads.labels("replica"), False: reads.labels("primary")}
        # Finding a series costs more than counting.
        self._series: dict[tuple[Endpoint | None, int], tuple[Counter, Histogram]] = {}

    def mark_started(self, seconds: float) -> None:
        self._started.set(seconds)
        self._processes.set(1)

    def text(self, read: Sequence[Metric]) -> bytes:
        """`read` was looked up for this response, and is the same in all processes."""
        build = GaugeMetricFamily("lootkeep_build_info", "The version that runs.", labels=["version"])
        build.add_metric([__version__], 1)
        shared = "PROMETHEUS_MULTIPROC_DIR" in os.environ
        counted = MultiProcessCollector(None).collect() if shared else self.registry.collect()
        return generate_latest(_Collected([build, *counted, *read]))

    def observe(self, route: Endpoint | None, status: int, seconds: float) -> None:
        requests, times = self._series.get((route, status)) or self._add(route, status)
        requests.inc()
        times.observe(seconds)

    def count_read(self, is_from_replica: bool) -> None:
        self._reads[is_from_replica].inc()

    def _add(self, route: Endpoint | None, status: int) -> tuple[Counter, Histogram]:
        method, path = (route.method, route.path) if route else (_UNKNOWN, _UNKNOWN)
        series = self._requests.labels(method, path, status), self._seconds.labels(method, path)
        self._series[(route, status)] = series
        return series


class _Collected(NamedTuple):
    """The interface of a registry in the library."""

    families: Sequence[Metric]

    def collect(self) -> Sequence[Metric]:
        return self.families
