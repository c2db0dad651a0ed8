"""Verifying a delivery as a receiver: accepted, or rejected with a reason."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, strategies as st

from lootkeep.domain import deliveries as deliveries_rules, receiving as receiving_rules, signing as signing_rules
from lootkeep.domain.receiving import TOLERANCE, VerificationError
from lootkeep.kernel.clock import SECOND, Instant
from tests.ids import CountingIds
from tests.world import NOON

ids = CountingIds()
SECRET, OLD_SECRET, STRANGER = (ids.webhook_secret() for _ in range(3))
ID = ids.delivery_id()
DATA = '{"order_id":123,"customer_name":"Zoë 🐉","total":"19.99","items":[{"quantity":1}]}'
BODY = deliveries_rules.body(ID, "order.paid", "2026-11-15T12:00:00Z", DATA).encode()
STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")


def headers(*secrets: str, body: bytes = BODY, at: int = NOON) -> dict[str, str]:
    return signing_rules.headers(body, "order.paid", ID, secrets or (SECRET,), at // SECOND)


def plain(*secrets: str) -> dict[str, str]:
    return {name: value for name, value in headers(*secrets).items() if name not in STANDARD}


def fault(body: bytes, given: dict[str, str], secret: str = SECRET) -> VerificationError | None:
    return receiving_rules.verify(body, given, secret, NOON).fault


def test_a_request_signed_by_the_service_is_accepted() -> None:
    assert receiving_rules.verify(BODY, headers(), SECRET, NOON).words == "signature ok"


def test_removing_the_timestamp_of_a_recorded_request_does_not_make_it_valid() -> None:
    verdict = receiving_rules.verify(BODY, plain(), SECRET, NOON)
    assert (verdict.fault, verdict.words) == (
        VerificationError.header_missing,
        "header missing: webhook-id, webhook-timestamp and webhook-signature, which sign the time, were not sent: "
        "it may be a replayed request",
    )


@pytest.mark.parametrize("change", [str.upper, str.lower, str.title])
def test_header_names_are_case_insensitive(change: Callable[[str], str]) -> None:
    assert fault(BODY, {change(name): value for name, value in headers().items()}) is None


@pytest.mark.parametrize("signed", [headers, plain])
def test_a_different_secret_is_reported(signed: Callable[[str], dict[str, str]]) -> None:
    assert fault(BODY, signed(STRANGER)) is VerificationError.wrong_secret


@pytest.mark.parametrize("signed", [headers, plain])
def test_a_changed_body_is_rejected(signed: Callable[[], dict[str, str]]) -> None:
    assert fault(BODY.replace(b"19.99", b"09.99"), signed()) is VerificationError.wrong_secret


@pytest.mark.parametrize("signed", [headers, plain])
@pytest.mark.parametrize(
    "write",
    [json.dumps, lambda value: json.dumps(value, indent=2), lambda value: json.dumps(value, ensure_ascii=False)],
    ids=["escaped", "indented", "with blanks"],
)
def test_a_reserialised_body_is_reported_as_such(
    signed: Callable[[], dict[str, str]], write: Callable[[object], str]
) -> None:
    assert fault(write(json.loads(BODY)).encode(), signed()) is VerificationError.body_reserialised


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000], ids=["empty", "cut", "no text", "deep"])
def test_a_body_that_is_not_json_is_rejected(body: bytes) -> None:
    assert fault(body, headers()) is VerificationError.wrong_secret


def test_both_secrets_are_accepted_during_a_rotation_and_the_old_one_is_reported() -> None:
    signed_headers = headers(SECRET, OLD_SECRET)
    assert receiving_rules.verify(BODY, signed_headers, SECRET, NOON).words == "signature ok"
    assert receiving_rules.verify(BODY, signed_headers, OLD_SECRET, NOON).words == (
        "signature ok: with the secret from before its rotation, which stops signing soon"
    )


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        (TOLERANCE, None),
        (TOLERANCE + SECOND, VerificationError.old_timestamp),
        (-TOLERANCE, None),
        (-TOLERANCE - SECOND, VerificationError.future_timestamp),
    ],
)
def test_five_minutes_are_tolerated_and_no_more(age: int, expected: VerificationError | None) -> None:
    assert fault(BODY, headers(at=NOON - age)) is expected


def test_an_old_request_is_reported_with_its_signing_time() -> None:
    verdict = receiving_rules.verify(BODY, headers(), SECRET, Instant(NOON + 2 * TOLERANCE))
    assert "signed at 2026-11-15T12:00:00Z" in verdict.words


def test_no_signature_at_all_is_reported() -> None:
    verdict = receiving_rules.verify(BODY, {"X-Webhook-ID": ID}, SECRET, NOON)
    assert verdict.words == "header missing: neither webhook-signature nor X-Webhook-Signature was sent"


@pytest.mark.parametrize("name", STANDARD)
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_header_of_the_trio_is_named(name: str, value: str | None) -> None:
    signed_headers = {key: text for key, text in headers().items() if key != name} | (
        {} if value is None else {name: value}
    )
    assert receiving_rules.verify(BODY, signed_headers, SECRET, NOON).words == f"header missing: {name} was not sent"


@pytest.mark.parametrize("text", ["soon", "-1", "0171", "1e9", "９", "9" * 12, " 1"])
def test_an_invalid_timestamp_is_reported(text: str) -> None:
    assert fault(BODY, headers() | {"webhook-timestamp": text}) is VerificationError.bad_timestamp


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-id": "wh_other"},
        {"webhook-timestamp": str(NOON // SECOND + 1)},
        {"webhook-signature": "v1,AAAA"},
        {"webhook-signature": "v2," + headers()["webhook-signature"][3:]},
    ],
)
def test_a_genuine_body_with_changed_headers_is_distinguished_from_a_wrong_secret(change: dict[str, str]) -> None:
    assert fault(BODY, headers() | change) is VerificationError.headers_changed


def test_a_signature_among_others_is_found() -> None:
    good = headers()["webhook-signature"]
    assert fault(BODY, headers() | {"webhook-signature": f"v1a,abc {good} nonsense"}) is None


@given(
    st.binary(max_size=200),
    st.dictionaries(st.sampled_from([*STANDARD, "X-Webhook-Signature"]), st.text(st.characters(), max_size=40)),
)
def test_arbitrary_requests_are_neither_accepted_nor_crash_the_check(body: bytes, given: dict[str, str]) -> None:
    assert fault(body, given) is not None


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(), st.lists, max_leaves=20))
def test_every_body_of_the_service_is_recognised_after_reserialisation(value: object) -> None:
    body = msgspec.json.encode({"id": ID, "data": value})
    again = json.dumps(json.loads(body), indent=1).encode()
    assert fault(again, headers(body=body)) is VerificationError.body_reserialised


@pytest.mark.parametrize("secret", ["", "whsec_", SECRET[6:], "whsec_not base64!", SECRET[:-2]])
def test_an_incomplete_secret_is_rejected(secret: str) -> None:
    assert receiving_rules.check_secret(secret) == (
        "The secret must be given as it was shown, from whsec_ to the last character."
    )


def test_a_secret_as_it_was_shown_is_fine() -> None:
    assert receiving_rules.check_secret(SECRET) is None
