"""What a process reports to Prometheus: what the edge counted, and what it reads at each scrape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric as Family

from lootkeep import __version__
from lootkeep.api.http.routes import Route
from lootkeep.engines.counts import Counter, Counts, Histogram, Metric

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_REQUESTS = Metric("lootkeep_requests_total", "Requests answered.", ("method", "path", "status"))
_REQUEST_SECONDS = Metric("lootkeep_request_seconds", "Time to answer.", ("method", "path"), _SECONDS)
_REFUSED = Metric("lootkeep_requests_refused_total", "Requests refused because of overload.")
_TEST_REQUESTS = Metric("lootkeep_test_requests_total", "Requests with a test token, which no other figure counts.")
_READS = Metric("lootkeep_reads_total", "Requests that read, by the database, where there is a replica.", ("database",))
# Paths without a route are counted together; otherwise a scanner could fill the memory with labels.
_UNKNOWN = "unknown"


class Metrics:
    """The counts of all processes that share `counts`."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self, counts: Counts | None = None) -> None:
        self.counts = counts or Counts()
        self.counts.declare(_REQUESTS, _REQUEST_SECONDS)
        self.refused = self.counts.counter(_REFUSED)
        self.test_requests = self.counts.counter(_TEST_REQUESTS)
        self._reads = {True: self.counts.counter(_READS, "replica"), False: self.counts.counter(_READS, "primary")}
        # Finding a series costs more than counting.
        self._series: dict[tuple[Route | None, int], tuple[Counter, Histogram]] = {}

    def text(self, read: Sequence[Family]) -> bytes:
        """`read` was looked up for this response, and is the same in all processes."""
        return generate_latest(_Collected([*self._of_service(), *self.counts.collect(), *read]))

    def observe(self, route: Route | None, status: int, seconds: float) -> None:
        requests, times = self._series.get((route, status)) or self._add(route, status)
        requests.inc()
        times.observe(seconds)

    def count_read(self, is_from_replica: bool) -> None:
        self._reads[is_from_replica].inc()

    def _add(self, route: Route | None, status: int) -> tuple[Counter, Histogram]:
        method, path = (route.method, route.path) if route else (_UNKNOWN, _UNKNOWN)
        requests = self.counts.counter(_REQUESTS, method, path, str(status))
        series = requests, self.counts.histogram(_REQUEST_SECONDS, method, path)
        self._series[(route, status)] = series
        return series

    def _of_service(self) -> Iterator[Family]:
        build = GaugeMetricFamily("lootkeep_build_info", "The version that runs.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        started = self.counts.started()
        yield GaugeMetricFamily("lootkeep_processes", "Processes that serve.", len(started))
        words = "When the youngest of them started, as a Unix time."
        yield GaugeMetricFamily("lootkeep_start_time_seconds", words, max(started, default=0))


class _Collected(NamedTuple):
    """The interface of a registry in the library."""

    families: Sequence[Family]

    def collect(self) -> Sequence[Family]:
        return self.families
