"""Metrics of the workers: delivery attempts, response times of receivers, and attempts to send e-mails."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

from lootkeep.domain.deliveries import AttemptResult
from lootkeep.domain.emails import SendResult

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_QUEUES = ("mail", "campaigns", "alerts")
# Without a mail server an e-mail goes to the outbox, where it can be read: neither sent nor failed.
_OUTCOMES = {"sent": "sent", "outbox": "outbox", "refused": "failed", "deferred": "failed", "unreachable": "failed"}


class WorkerMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        attempts = Counter(
            "lootkeep_webhook_attempts_total", "Attempts to deliver, by outcome.", ("outcome",), registry=registry
        )
        self._delivered, self._failed = attempts.labels("delivered"), attempts.labels("failed")
        self._seconds = Histogram(
            "lootkeep_webhook_seconds", "Time until a receiver responded.", buckets=_SECONDS, registry=registry
        )
        words = "Attempts to send e-mails and alerts, by queue and outcome."
        emails = Counter("lootkeep_email_attempts_total", words, ("queue", "outcome"), registry=registry)
        self._emails = {
            (queue, kind): emails.labels(queue, outcome) for queue in _QUEUES for kind, outcome in _OUTCOMES.items()
        }

    def observe(self, result: AttemptResult) -> None:
        (self._delivered if result.is_delivered else self._failed).inc()
        self._seconds.observe(result.latency_ms / 1000)

    def observe_email(self, queue: str, result: SendResult) -> None:
        self._emails[queue, result.kind].inc()
