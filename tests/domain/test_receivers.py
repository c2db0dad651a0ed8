"""The diagnosis of a failing receiver: every kind of failure has a sentence with advice."""

from __future__ import annotations

import errno
import ssl
from typing import Any

import pytest

from lootkeep.domain.receivers import Receiver, RecentAttempt, advice, diagnose, first_given_up, receiver_of
from lootkeep.domain.webhooks import Webhook
from lootkeep.engines.http1 import ConnectionClosed, NotHttp
from lootkeep.engines.outbound import NOT_PUBLIC, NotPublicError, failure
from lootkeep.engines.resolver import UNKNOWN, NotResolved
from lootkeep.kernel.clock import MINUTE, SECOND, Instant, utc

NOW = Instant(1_800_000_000 * SECOND)
CODES = {
    301: "Redirects are not followed",
    400: "does not accept the body",
    401: "the signature is checked with another secret",
    403: "the signature is checked with another secret",
    404: "there is nothing at this path",
    405: "does not take POST requests",
    410: "gone for good",
    413: "finds the body too large",
    418: "its log says why",
    422: "does not accept the body",
    429: "finds the requests too many",
    500: "The receiver itself failed",
    503: "The receiver itself failed",
}
# What is raised when a receiver is called, and what to do about it.
ERRORS: list[tuple[Exception, str]] = [
    (TimeoutError(), "let it answer at once"),
    (ssl.SSLCertVerificationError("certificate has expired"), "Renew its certificate"),
    (ssl.SSLCertVerificationError("Hostname mismatch"), "does not name this host"),
    (ssl.SSLCertVerificationError("self-signed certificate"), "from a public authority"),
    (ssl.SSLError("wrong version number"), "TLS 1.2 or newer"),
    (NotPublicError(NOT_PUBLIC), "leads to a private address"),
    (NotResolved(UNKNOWN), "check the spelling of the host"),
    (OSError(errno.ECONNREFUSED, ""), "Nothing listens at this port"),
    (OSError(errno.ENETUNREACH, ""), "no way to its network"),
    (OSError(errno.EHOSTUNREACH, ""), "no way to its network"),
    (OSError(errno.ECONNRESET, ""), "ends connections without an answer"),
    (ConnectionClosed(), "ends connections without an answer"),
    (NotHttp(), "Something else than a web server"),
    (OSError("something new"), "check that it is up"),
]


def failed(code: int | None, reason: str, at: int = 0) -> RecentAttempt:
    return RecentAttempt("failed", Instant(NOW + at), code, 80 if code else None, reason)


@pytest.mark.parametrize(("code", "sentence"), CODES.items())
def test_every_unsuccessful_answer_is_explained(code: int, sentence: str) -> None:
    assert sentence in advice(failed(code, f"answered {code}"))


@pytest.mark.parametrize(("error", "sentence"), ERRORS, ids=lambda value: str(value)[:40])
def test_every_reason_for_no_answer_is_explained(error: Exception, sentence: str) -> None:
    assert sentence in advice(failed(None, failure(error)))


def test_the_diagnosis_shows_the_start_the_last_success_and_the_backlog() -> None:
    failures = [failed(500, "answered 500"), failed(404, "answered 404", MINUTE), failed(404, "answered 404", MINUTE)]
    text = said(failures, waiting=2, given_up=Instant(NOW + 60 * MINUTE))
    assert "Every attempt since 15 Jan 2027, 08:01 failed: it answered 404, within 80 ms." in text
    assert "It has failed since 15 Jan 2027, 08:00; before that it answered 500." in text
    assert "2 deliveries wait and will be sent when it answers" in text
    assert "The first one is given up on 15 Jan 2027, 09:00." in text


def test_a_rejected_signature_mentions_a_rotated_secret() -> None:
    refused = [failed(401, "answered 401")]
    assert "Its secret was rotated; the old one signs until" in said(refused, rotated_until=NOW + MINUTE)
    assert "Its secret was rotated; the old one signed until" in said(refused, rotated_until=NOW - MINUTE)
    assert "rotated;" not in said([failed(401, "answered 401")])


def test_a_slow_receiver_is_warned_about_and_a_disabled_one_is_named() -> None:
    assert "It answers slowly: one in twenty takes 6.0 s or more" in said([], p95_ms=6000)
    assert "switched off: nothing is sent" in said([], is_active=False)
    assert said([], p95_ms=90) == ""


def test_the_first_delivery_to_be_given_up_is_the_one_with_the_fewest_attempts_left() -> None:
    due = [(0, NOW), (1, Instant(NOW + MINUTE)), (2, Instant(NOW + 2 * MINUTE))]
    assert first_given_up(due, (300, 1800)) == NOW + 2 * MINUTE
    assert first_given_up([(0, NOW)], (300, 1800)) is None


def test_a_receiver_fails_after_three_failures_in_a_row_and_recovers_with_one_success() -> None:
    webhook = Webhook(1, "https://a.example/", "[]", True, "", None, None, NOW, NOW)
    failures = [failed(500, "answered 500", minute * MINUTE) for minute in range(3)]
    assert not receiver_of(webhook, failures[:2], 0, NOW).is_failing
    failing = receiver_of(webhook, failures, 2, NOW)
    assert (failing.state, failing.failing_since, failing.has_worked, failing.waiting) == ("failing", NOW, False, 2)
    worked = RecentAttempt("delivered", Instant(NOW + 3 * MINUTE), 200, 40, None)
    recovered = receiver_of(webhook, [*failures, worked], 0, Instant(NOW + 3 * MINUTE))
    assert (recovered.state, recovered.failing_since, recovered.has_worked) == ("active", None, True)
    assert (recovered.delivered, recovered.failed, recovered.minutes[-4:]) == (1, 3, ("bad", "bad", "bad", "ok"))


def said(
    failures: list[RecentAttempt],
    *,
    is_active: bool = True,
    rotated_until: int | None = None,
    given_up: Instant | None = None,
    **receiver: Any,
) -> str:
    until = None if rotated_until is None else Instant(rotated_until)
    webhook = Webhook(1, "https://a.example/", "[]", is_active, "", None, until, NOW, NOW)
    values: dict[str, Any] = {"p95_ms": None, "waiting": 0} | receiver
    health = Receiver(webhook, (), values["p95_ms"], 0, 0, (0, 0), values["waiting"], failures, False, "")
    verdict = diagnose(health, lambda at: f"{utc(at):%-d %b %Y, %H:%M}", given_up)
    return " ".join(verdict.sentences) if verdict else ""
