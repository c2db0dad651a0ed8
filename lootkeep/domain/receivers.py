"""The health of a receiver, from its latest attempts: what is wrong as sentences, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from lootkeep.domain.deliveries import DEADLINE_SECONDS, given_up_at
from lootkeep.domain.webhooks import Webhook
from lootkeep.kernel.clock import DAY, HOUR, MINUTE, Instant
from lootkeep.kernel.wording import plural

MINUTES = 60
# A receiver fails when this many attempts in a row failed.
_FAILURES = 3
# A receiver that takes this long fails as soon as it gets a little slower.
_SLOW_MS = DEADLINE_SECONDS * 1000 // 2

_SERVER_ERROR = "The receiver itself failed: its log says why."
_REFUSED = (
    "It refuses the request: as a rule the signature is checked with another secret, or a firewall is in front. "
    "Compare the secret, or rotate it here and set the new one there."
)
_UNKNOWN = "It could not be reached: check that it is up, and its address."
_NO_ROUTE = "There is no way to its network: check its address and its firewall."
_ENDED = "It ends connections without an answer: its server, or a proxy in front, may have crashed."
# By response code.
_CODES = {
    400: "It does not accept the body. Check which events it expects, and its log.",
    401: _REFUSED,
    403: _REFUSED,
    404: "The server answers, but there is nothing at this path.",
    405: "The path exists, but does not take POST requests.",
    410: "It says that it is gone for good: delete the webhook, or give it the new address.",
    413: "It finds the body too large: raise the limit of its server.",
    422: "It does not accept the body. Check which events it expects, and its log.",
    429: "It finds the requests too many: raise its limit, or subscribe to fewer events.",
}
# By a part of the reason, if there was no response.
_REASONS = {
    "timed out": "It must answer within the deadline: let it answer at once and do the work afterwards.",
    "certificate expired": "Renew its certificate; nothing is sent over a connection that cannot be trusted.",
    "certificate is for another host": "Its certificate does not name this host: check the address, or renew it.",
    "certificate is not trusted": "Its certificate must come from a public authority, with the whole chain.",
    "TLS": "Its server does not agree on a secure connection: it must offer TLS 1.2 or newer.",
    "not public": "The name leads to a private address, which webhooks do not reach unless the operator permits it.",
    "name": "The name cannot be looked up: check the spelling of the host, and its DNS records.",
    "refused": "Nothing listens at this port: start the receiver, or check the port.",
    "unreachable": _NO_ROUTE,
    "no route": _NO_ROUTE,
    "closed": _ENDED,
    "reset": _ENDED,
    "not HTTP": "Something else than a web server answers at this port.",
}


# Formats a time for the store.
TimeFormat = Callable[[Instant], str]


class RecentAttempt(msgspec.Struct, frozen=True):
    """The data from which the health of a receiver is computed."""

    outcome: str
    started_at: Instant
    response_code: int | None
    latency_ms: int | None
    reason: str | None


class Receiver(msgspec.Struct, frozen=True):
    """A webhook and the results of its attempts within the hour."""

    webhook: Webhook
    # For each minute, the oldest first: ok, warn (some failed), bad, or nothing.
    minutes: tuple[str, ...]
    p95_ms: int | None
    delivered: int
    failed: int
    # Delivered and all attempts within a day.
    day: tuple[int, int]
    waiting: int
    # The attempts after the last delivered one, the oldest first.
    failures: Sequence[RecentAttempt]
    has_worked: bool
    last_answer: str

    @property
    def is_failing(self) -> bool:
        return len(self.failures) >= _FAILURES

    @property
    def failing_since(self) -> Instant | None:
        return self.failures[0].started_at if self.failures else None

    @property
    def id(self) -> int:
        return self.webhook.id

    @property
    def name(self) -> str:
        return self.webhook.name

    @property
    def state(self) -> str:
        if not self.webhook.is_active:
            return "off"
        return "failing" if self.is_failing else "active"


def receiver_of(webhook: Webhook, attempts: Sequence[RecentAttempt], waiting: int, now: Instant) -> Receiver:
    """The health of a webhook, from its attempts in chronological order."""
    today = [attempt for attempt in attempts if now - attempt.started_at < DAY]
    recent = [attempt for attempt in attempts if now - attempt.started_at < HOUR]
    latencies = sorted(attempt.latency_ms for attempt in recent if attempt.latency_ms is not None)
    worked = max((number for number, attempt in enumerate(attempts, 1) if attempt.outcome == "delivered"), default=0)
    delivered = sum(attempt.outcome == "delivered" for attempt in recent)
    return Receiver(
        webhook=webhook,
        minutes=_minutes(recent, now),
        p95_ms=latencies[len(latencies) * 95 // 100] if latencies else None,
        delivered=delivered,
        failed=len(recent) - delivered,
        day=(sum(attempt.outcome == "delivered" for attempt in today), len(today)),
        waiting=waiting,
        failures=attempts[worked:],
        has_worked=worked > 0,
        last_answer=(attempts[-1].reason or "answered") if attempts else "was never called",
    )


def _minutes(recent: Sequence[RecentAttempt], now: Instant) -> tuple[str, ...]:
    outcomes: list[set[bool]] = [set() for _ in range(MINUTES)]
    for attempt in recent:
        # A worker may have begun it after the page asked for the time.
        outcomes[MINUTES - 1 - max(0, now - attempt.started_at) // MINUTE].add(attempt.outcome == "delivered")
    tones = {frozenset(): "none", frozenset({True}): "ok", frozenset({False}): "bad"}
    return tuple(tones.get(frozenset(minute), "warn") for minute in outcomes)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    tone: str
    sentences: Sequence[str]


def diagnose(receiver: Receiver, time: TimeFormat, given_up: Instant | None) -> Diagnosis | None:
    """None if there is nothing to report."""
    webhook, failures = receiver.webhook, receiver.failures
    if not webhook.is_active:
        return Diagnosis("warn", ["This webhook is switched off: nothing is sent, and what happens now is not queued."])
    if not failures:
        is_slow = receiver.p95_ms is not None and receiver.p95_ms >= _SLOW_MS
        return Diagnosis("warn", [_slow(receiver)]) if is_slow else None
    last = failures[-1]
    same = _same_reason(failures)
    sentences = [_what(same, time), advice(last)]
    if len(same) < len(failures):
        earlier = failures[-len(same) - 1].reason or "failed"
        since = time(failures[0].started_at)
        sentences.append(f"It has failed since {since}; before that it {_as_predicate(earlier)}.")
    elif receiver.has_worked and len(failures) > 1:
        sentences.append("It worked until then, so something changed there, such as a deploy.")
    if last.response_code in (401, 403) and (until := webhook.previous_secret_until) is not None:
        verb = "signs" if until > last.started_at else "signed"
        sentences.append(f"Its secret was rotated; the old one {verb} until {time(until)}.")
    sentences += _waiting(receiver, time, given_up)
    return Diagnosis("bad" if receiver.is_failing else "warn", sentences)


def advice(attempt: RecentAttempt) -> str:
    """What a failed attempt means, and what to do."""
    code, reason = attempt.response_code, attempt.reason or ""
    if code is None:
        return next((text for part, text in _REASONS.items() if part in reason), _UNKNOWN)
    if 300 <= code < 400:
        return "Redirects are not followed, so that nobody else is sent the store's data: enter where it leads to."
    return _CODES.get(code, _SERVER_ERROR if code >= 500 else "It does not accept the request: its log says why.")


def first_given_up(due: Sequence[tuple[int, Instant]], delays: Sequence[int]) -> Instant | None:
    """When the first pending delivery that failed before is given up, if nothing changes."""
    return min((given_up_at(due_at, failures, delays) for failures, due_at in due if failures), default=None)


def _same_reason(failures: Sequence[RecentAttempt]) -> Sequence[RecentAttempt]:
    """The latest attempts that all failed in the same way: the current problem."""
    others = [number for number, attempt in enumerate(failures, 1) if attempt.reason != failures[-1].reason]
    return failures[others[-1] if others else 0 :]


def _what(failures: Sequence[RecentAttempt], time: TimeFormat) -> str:
    subject = "The last attempt on" if len(failures) == 1 else "Every attempt since"
    reason = _as_predicate(failures[-1].reason or "failed")
    return f"{subject} {time(failures[0].started_at)} failed: it {reason}{_took(failures)}."


def _as_predicate(reason: str) -> str:
    """Reasons are predicates (`answered 404`) or name what happened."""
    return reason if reason.startswith(("answered", "timed out")) else f"gave no answer ({reason})"


def _took(failures: Sequence[RecentAttempt]) -> str:
    times = [attempt.latency_ms for attempt in failures if attempt.latency_ms is not None]
    return f", within {max(times)} ms" if times and failures[-1].response_code is not None else ""


def _slow(receiver: Receiver) -> str:
    seconds = (receiver.p95_ms or 0) / 1000
    return (
        f"It answers slowly: one in twenty takes {seconds:.1f} s or more, and after {DEADLINE_SECONDS} s an attempt "
        "has failed. Let it answer at once and do the work afterwards."
    )


def _waiting(receiver: Receiver, time: TimeFormat, given_up: Instant | None) -> list[str]:
    if not receiver.waiting:
        return ["Nothing waits to be sent again."]
    waits = plural(receiver.waiting, "delivery waits", "deliveries wait")
    sentences = [f"{waits} and will be sent when it answers; nothing is lost yet."]
    if given_up is not None:
        sentences.append(f"The first one is given up on {time(given_up)}.")
    return sentences
