"""`lootkeep webhooks certify`: a good receiver passes, and every kind of bad one fails where it is bad."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest

from lootkeep.domain import signing as signing_rules
from tests.cli.receivers import AnswerFunction, Request, listening, receiving
from tests.cli.terminal import CommandResult, Terminal
from tests.docs.blocks import python_functions
from tests.ids import CountingIds

SECRET = CountingIds().webhook_secret()
GOOD = ["correct delivery", "duplicate", "out of order", "unknown event type", "large body", "rotated secret"]
BAD = ["wrong signature", "no signature", "changed body", "old timestamp"]
ALL = [*GOOD, *BAD, "answers in time"]
# The receiver in the docs is the good one; the others spoil it in one point each.
DOCS = python_functions("Python")


def is_genuine(request: Request) -> bool:
    return bool(DOCS["verify"](request.body, request.headers, SECRET))


def good(request: Request) -> tuple[int, bytes]:
    return (200, b"") if is_genuine(request) else (401, b"")


def refusing(when: Callable[[dict[str, Any]], bool], status: int) -> AnswerFunction:
    """A good receiver that rejects deliveries of one kind."""
    return lambda request: (status, b"") if is_genuine(request) and when(json.loads(request.body)) else good(request)


def plain_only(request: Request) -> tuple[int, bytes]:
    signature = request.headers.get("X-Webhook-Signature", "")
    return (200, b"") if DOCS["verify_plain"](request.body, signature, SECRET) else (403, b"")


def whole_header(request: Request) -> tuple[int, bytes]:
    """Compares the header as one text."""
    return (200, b"") if is_genuine(request) and " " not in request.headers["webhook-signature"] else (401, b"")


def reserialising(request: Request) -> tuple[int, bytes]:
    expected = signing_rules.signature(json.dumps(json.loads(request.body)).encode(), SECRET)
    return (200, b"") if hmac.compare_digest(expected, request.headers.get("X-Webhook-Signature", "")) else (400, b"")


def no_duplicates() -> AnswerFunction:
    seen: set[str] = set()

    def answer(request: Request) -> tuple[int, bytes]:
        if is_genuine(request) and request.id in seen:
            return 409, b""
        seen.add(request.id)
        return good(request)

    return answer


def only_forwards() -> AnswerFunction:
    """Takes no event of an order that is older than one it has seen."""
    latest = ""

    def answer(request: Request) -> tuple[int, bytes]:
        nonlocal latest
        created_at = json.loads(request.body)["created_at"]
        if is_genuine(request) and created_at < latest:
            return 422, b""
        latest = max(latest, created_at)
        return good(request)

    return answer


def certify(terminal: Terminal, answer: AnswerFunction) -> CommandResult:
    with receiving(answer) as receiver:
        return terminal.call("webhooks", "certify", receiver.url, "--secret", SECRET, "--json")


def test_the_receiver_from_the_docs_passes_every_check(terminal: Terminal) -> None:
    outcome = certify(terminal, good)
    report = json.loads(outcome.out)
    assert (outcome.code, report["passed"], report["total"]) == (0, len(ALL), len(ALL))
    assert [check["name"] for check in report["checks"]] == ALL
    assert {check["advice"] for check in report["checks"]} == {None}


@pytest.mark.parametrize(
    ("answer", "failing"),
    [
        (lambda request: (200, b""), BAD),
        (lambda request: (204, b""), BAD),
        (lambda request: (401, b""), GOOD),
        (lambda request: (500, b""), GOOD + BAD),
        (lambda request: (301, b""), GOOD + BAD),
        (lambda request: good(request) if is_genuine(request) else (500, b""), BAD),
        (plain_only, ["old timestamp"]),
        (whole_header, ["rotated secret"]),
        (reserialising, GOOD),
        (no_duplicates(), ["duplicate"]),
        (only_forwards(), ["out of order"]),
        (refusing(lambda body: body["event_type"] == "wishlist.created", 400), ["unknown event type"]),
        (refusing(lambda body: len(json.dumps(body, ensure_ascii=False).encode()) > 100 * 1024, 413), ["large body"]),
    ],
    ids=[
        "believes everything",
        "believes everything in silence",
        "believes nothing",
        "is broken",
        "redirects",
        "breaks at strangers",
        "knows no time",
        "knows one signature",
        "reserialises",
        "hates duplicates",
        "wants order",
        "wants known types",
        "takes 100 KiB",
    ],
)
def test_a_bad_receiver_fails_the_right_check_with_advice(
    terminal: Terminal, answer: AnswerFunction, failing: list[str]
) -> None:
    outcome = certify(terminal, answer)
    report = json.loads(outcome.out)
    failed = [check for check in report["checks"] if not check["passed"]]
    assert outcome.code == 1
    assert [check["name"] for check in failed] == failing
    assert report["passed"] == len(ALL) - len(failing)
    assert all(check["advice"].endswith(".") for check in failed)


def test_the_output_shows_the_expected_and_actual_answer_and_advice(terminal: Terminal) -> None:
    with receiving(plain_only) as receiver:
        outcome = terminal.call("webhooks", "certify", receiver.url, "--secret", SECRET)
    assert outcome.code == 1
    assert "pass  duplicate           expected 2xx                answered 200\n" in outcome.out
    assert (
        "FAIL  old timestamp       expected 401, 403 or 400    answered 200\n"
        "      Verify webhook-signature, which covers webhook-timestamp, and reject requests older than 5 minutes:"
    ) in outcome.out
    assert outcome.out.endswith("\n10 of 11 passed.\n")


def test_a_receiver_that_takes_longer_than_ten_seconds_fails_and_is_not_asked_again(terminal: Terminal) -> None:
    with listening(terminal, "--secret", SECRET, "--slow", "60", "--json") as server:
        outcome = terminal.call("webhooks", "certify", server.url, "--secret", SECRET)
    assert outcome.code == 1
    assert "FAIL  correct delivery    expected 2xx                timed out after 10 s\n" in outcome.out
    assert "FAIL  answers in time     expected within 10 s        timed out after 10 s\n" in outcome.out
    assert "Store the delivery, respond with 200 and process it afterwards" in outcome.out
    assert outcome.out.count("not sent, because the first delivery got no response") == len(ALL) - 2


def test_an_unreachable_receiver_passes_none_of_eleven_checks(terminal: Terminal) -> None:
    with receiving(good) as gone:
        url = gone.url
    outcome = terminal.call("webhooks", "certify", url, "--secret", SECRET)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (1, "0 of 11 passed.")
    assert "Start the receiver, check the URL, and make sure that every request gets a response." in outcome.out


def test_our_own_listener_passes_every_check(terminal: Terminal) -> None:
    with listening(terminal, "--secret", SECRET) as server:
        outcome = terminal.call("webhooks", "certify", server.url, "--secret", SECRET)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (0, "11 of 11 passed.")


@pytest.mark.parametrize(
    ("url", "secret", "sentence"),
    [
        ("ftp://shop.example/", SECRET, "The url field must be an HTTPS URL."),
        ("http://169.254.169.254/", SECRET, "The url field must not point to a private address."),
        (
            "https://shop.example/",
            "secret",
            "The secret must be given as it was shown, from whsec_ to the last character.",
        ),
    ],
)
def test_impossible_arguments_are_reported_in_a_sentence(
    terminal: Terminal, url: str, secret: str, sentence: str
) -> None:
    assert terminal.call("webhooks", "certify", url, "--secret", secret).sentence == sentence
