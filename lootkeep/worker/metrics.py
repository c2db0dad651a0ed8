"""What the worker counts for Prometheus: attempts by outcome, and how long receivers take."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from lootkeep.domain.deliveries import AttemptResult

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class DeliveryMetrics:
    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        attempts = Counter(
            "lootkeep_webhook_attempts", "Attempts to deliver, by outcome.", ("outcome",), registry=registry
        )
        self._delivered, self._failed = attempts.labels("delivered"), attempts.labels("failed")
        self._seconds = Histogram(
            "lootkeep_webhook_seconds", "Time until a receiver responded.", buckets=_SECONDS, registry=registry
        )

    def observe(self, result: AttemptResult) -> None:
        (self._delivered if result.is_delivered else self._failed).inc()
        self._seconds.observe(result.latency_ms / 1000)
