"""What the edge counts for Prometheus: requests by row and status, and how long they took."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from lootkeep.api.http.routes import Route

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
# Paths that no row has are counted together, or a scanner could fill the memory with labels.
_UNKNOWN = "unknown"


class Metrics:
    """Counters of one process."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "lootkeep_requests", "Requests answered.", ("method", "path", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "lootkeep_request_seconds", "Time to answer.", ("method", "path"), buckets=_SECONDS, registry=self.registry
        )
        self.refused = Counter(
            "lootkeep_requests_refused", "Requests refused because of overload.", registry=self.registry
        )
        self.test_requests = Counter(
            "lootkeep_test_requests",
            "Requests with a test token, which no other figure counts.",
            registry=self.registry,
        )
        self.due = Gauge(
            "lootkeep_webhook_due", "Deliveries that are due, counted up to 10,000.", registry=self.registry
        )
        self.oldest_due = Gauge(
            "lootkeep_webhook_oldest_due_seconds", "How long the oldest of them has been due.", registry=self.registry
        )
        # Finding a labelled child costs more than counting.
        self._children: dict[tuple[Route | None, int], tuple[Counter, Histogram]] = {}

    def text(self) -> bytes:
        return generate_latest(self.registry)

    def observe(self, route: Route | None, status: int, seconds: float) -> None:
        children = self._children.get((route, status)) or self._child(route, status)
        children[0].inc()
        children[1].observe(seconds)

    def _child(self, route: Route | None, status: int) -> tuple[Counter, Histogram]:
        method, path = (route.method, route.path) if route else (_UNKNOWN, _UNKNOWN)
        child = (self._requests.labels(method, path, str(status)), self._seconds.labels(method, path))
        self._children[(route, status)] = child
        return child
