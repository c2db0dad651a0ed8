"""The check behind `lootkeep webhooks certify`: sends each case, checks the responses, gives advice."""

from __future__ import annotations

import ipaddress
from typing import Any, NamedTuple

from lootkeep.domain.addresses import IpNetwork
from lootkeep.domain.deliveries import DEADLINE_SECONDS, AttemptResult
from lootkeep.domain.webhooks import WebhookRules, checked
from lootkeep.engines.outbound import Outbound
from lootkeep.kernel.clock import SystemClock
from lootkeep.kernel.ids import RandomIds
from lootkeep.toolbox.webhooks.certify_cases import CertifyCase, SignedRequest, cases

# The receiver is the developer's own, wherever it runs.
_ANYWHERE: tuple[IpNetwork, ...] = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))
_REJECTED_STATUSES = (401, 403, 400)
_SLOW = (
    f"Store the delivery, respond with 200 and process it afterwards: after {DEADLINE_SECONDS} s it counts as failed."
)
_UNTRIED = "not sent, because the first delivery got no response"


class CaseResult(NamedTuple):
    """The result of a case; with advice if it failed."""

    name: str
    is_passed: bool
    expected: str
    got: str
    advice: str | None
    slowest_ms: int | None

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "passed": self.is_passed,
            "expected": self.expected,
            "got": self.got,
            "advice": self.advice,
            "slowest_ms": self.slowest_ms,
        }


async def certify(url: str, secret: str) -> list[CaseResult]:
    checked({"url": url}, WebhookRules(allow_insecure=True, allowed_networks=_ANYWHERE))
    outbound = Outbound(_ANYWHERE)
    try:
        return await _examine(outbound, url, cases(secret, RandomIds(), SystemClock().now()))
    finally:
        await outbound.close()


async def _examine(outbound: Outbound, url: str, planned: list[CertifyCase]) -> list[CaseResult]:
    """One after the other, because order matters. If the first gets no response, the rest is not sent."""
    checks: list[CaseResult] = []
    results: list[AttemptResult] = []
    for case in planned:
        if results and results[0].response_code is None:
            checks.append(CaseResult(case.name, False, _expected(case), _UNTRIED, None, None))
            continue
        answers = [await _send(outbound, url, request) for request in case.requests]
        checks.append(_judge(case, answers))
        results += answers
    return [*checks, _speed(results)]


async def _send(outbound: Outbound, url: str, request: SignedRequest) -> AttemptResult:
    return await outbound.post(url, request.body, request.headers)


def _judge(case: CertifyCase, answers: list[AttemptResult]) -> CaseResult:
    wrong = [answer for answer in answers if not _fits(case, answer)]
    slowest = max(answer.latency_ms for answer in answers)
    advice = _advice(case, wrong[0]) if wrong else None
    return CaseResult(case.name, not wrong, _expected(case), _got((wrong or answers)[0]), advice, slowest)


def _fits(case: CertifyCase, answer: AttemptResult) -> bool:
    return answer.is_delivered if case.is_good else answer.response_code in _REJECTED_STATUSES


def _expected(case: CertifyCase) -> str:
    return "2xx" if case.is_good else "401, 403 or 400"


def _got(answer: AttemptResult) -> str:
    return answer.reason or f"answered {answer.response_code}"


def _advice(case: CertifyCase, answer: AttemptResult) -> str:
    if answer.response_code is None:
        return "Start the receiver, check the URL, and make sure that every request gets a response."
    return case.advice


def _speed(results: list[AttemptResult]) -> CaseResult:
    """Over everything that was sent: a rejection must be as quick as the rest."""
    unanswered = [result for result in results if result.response_code is None]
    slowest = max(result.latency_ms for result in results)
    return CaseResult(
        name="answers in time",
        is_passed=not unanswered,
        expected=f"within {DEADLINE_SECONDS} s",
        got=_got(unanswered[0]) if unanswered else f"slowest after {slowest} ms",
        advice=_SLOW if slowest >= DEADLINE_SECONDS * 1000 else None,
        slowest_ms=slowest,
    )
