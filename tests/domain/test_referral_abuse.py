"""When a referral is rejected, and when it is only flagged."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from lootkeep.domain.referral_abuse import SENTENCES, Evidence, RejectionReason, marks, rejection
from lootkeep.domain.referrals import AbuseReason

REFERRER, PARENT, GRANDPARENT, STRANGER = 1, 2, 3, 9
HONEST = Evidence(
    referrer_id=REFERRER,
    ancestors=[PARENT, GRANDPARENT],
    same_mailbox=(),
    same_device=(),
    same_address=(),
    shares_email_domain=False,
)


def evidence(**changes: Any) -> Evidence:
    return msgspec.structs.replace(HONEST, **changes)


def test_an_honest_referral_is_neither_rejected_nor_flagged() -> None:
    assert rejection(HONEST) is None
    assert marks(HONEST) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"same_mailbox": {REFERRER}}, "self_referral"),
        ({"same_device": {REFERRER}}, "same_device"),
        ({"same_mailbox": {PARENT}}, "circular_referral"),
        ({"same_mailbox": {GRANDPARENT}}, "circular_referral"),
        ({"same_device": {PARENT}}, "circular_referral"),
        ({"same_device": {GRANDPARENT}}, "circular_referral"),
    ],
)
def test_a_mailbox_or_device_shared_with_a_referrer_up_the_chain_is_rejected(
    changes: dict[str, Any], reason: str
) -> None:
    assert rejection(evidence(**changes)) == reason


@pytest.mark.parametrize("kind", ["same_mailbox", "same_device", "same_address"])
def test_a_trait_shared_with_a_stranger_does_not_count(kind: str) -> None:
    shared = evidence(**{kind: {STRANGER}})
    assert rejection(shared) is None
    assert marks(shared) == []


@pytest.mark.parametrize("who", [REFERRER, PARENT, GRANDPARENT])
def test_a_shared_ip_never_rejects_a_referral(who: int) -> None:
    assert rejection(evidence(same_address={who})) is None


def test_the_most_severe_reason_is_reported() -> None:
    everyone = {REFERRER, PARENT, GRANDPARENT}
    assert rejection(evidence(same_mailbox=everyone, same_device=everyone)) == "self_referral"
    assert rejection(evidence(same_mailbox={PARENT}, same_device=everyone)) == "same_device"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"same_address": {REFERRER}}, ["same_address"]),
        ({"same_address": {PARENT}}, []),
        ({"shares_email_domain": True}, ["same_email_domain"]),
        ({"same_address": {REFERRER}, "shares_email_domain": True}, ["same_address", "same_email_domain"]),
    ],
)
def test_a_shared_ip_or_domain_flags_a_referral(changes: dict[str, Any], expected: list[str]) -> None:
    assert marks(evidence(**changes)) == expected


def test_every_reason_is_reported_in_a_sentence() -> None:
    assert set(SENTENCES) == set(get_args(RejectionReason))
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())


def test_the_rejections_listed_for_staff_are_among_the_reasons() -> None:
    assert set(get_args(AbuseReason)) < set(get_args(RejectionReason))
