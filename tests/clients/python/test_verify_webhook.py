"""`verify_webhook` accepts what the service signs, and reports why it rejects the rest."""

from __future__ import annotations

from typing import Any

import pytest

from lootkeep.domain import receiving as receiving_rules, signing as signing_rules
from lootkeep.kernel.clock import SECOND, Instant
from lootkeep_client import WebhookNotVerified, verify_webhook
from tests.clients.deliveries import BYTES, CASES, HEADERS, NOW, OLD_SECRET, SECRET, TRIO, without


def verify(
    body: bytes = BYTES, headers: dict[str, str] | None = None, secret: str = SECRET, now: int = NOW, **options: bool
) -> Any:
    return verify_webhook(body, HEADERS if headers is None else headers, secret, now=lambda: now, **options)


def test_a_delivery_of_the_service_is_accepted() -> None:
    assert verify()["data"] == {"name": "Ünï", "total": "9.99"}


@pytest.mark.parametrize("change", [str.upper, str.lower, str.title])
def test_the_case_of_header_names_does_not_matter(change: Any) -> None:
    assert verify(headers={change(name): value for name, value in HEADERS.items()})["id"] == "wh_1"


def test_the_plain_signature_alone_is_enough_on_request() -> None:
    delivery = verify(headers=without(*TRIO), now=NOW + 10**6, require_timestamp=False)
    assert delivery["id"] == "wh_1"


def test_an_old_timestamp_is_rejected_even_where_the_plain_signature_is_enough() -> None:
    with pytest.raises(WebhookNotVerified, match="too long ago"):
        verify(now=NOW + 301, require_timestamp=False)


def test_after_a_rotation_both_secrets_are_accepted() -> None:
    headers = signing_rules.headers(BYTES, "order.paid", "wh_1", [SECRET, OLD_SECRET], NOW)
    assert verify(headers=headers)["id"] == verify(headers=headers, secret=OLD_SECRET)["id"] == "wh_1"


@pytest.mark.parametrize("name", CASES)
def test_the_cause_of_a_failed_verification_is_reported(name: str) -> None:
    arguments, reason = CASES[name]
    with pytest.raises(WebhookNotVerified) as caught:
        verify(**arguments)
    assert caught.value.reason == reason
    assert str(caught.value).endswith(".")
    ours = receiving_rules.verify(
        arguments.get("body", BYTES),
        arguments.get("headers", HEADERS),
        arguments.get("secret", SECRET),
        Instant(arguments.get("now", NOW) * SECOND),
    )
    assert ours.fault is not None
    assert ours.fault.name == reason


def test_a_truncated_secret_is_reported() -> None:
    with pytest.raises(WebhookNotVerified, match="as it was shown") as caught:
        verify(secret="whsec_abc")
    assert caught.value.reason == "bad_secret"


def test_an_empty_secret_is_reported_before_anyone_can_sign_with_it() -> None:
    for headers in (HEADERS, without(*TRIO)):
        with pytest.raises(WebhookNotVerified) as caught:
            verify(headers=headers, secret="", require_timestamp=False)
        assert caught.value.reason == "bad_secret"


@pytest.mark.parametrize("age", [-300, 0, 300])
def test_five_minutes_either_way_are_tolerated(age: int) -> None:
    assert verify(now=NOW + age)["id"] == "wh_1"
