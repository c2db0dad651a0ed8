"""Abuse of referrals: people who refer themselves, by mailbox, by device, or in a circle, or come again."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

RejectionReason = Literal[
    "program_disabled", "unknown_code", "self_referral", "same_device", "circular_referral", "already_referred"
]

SENTENCES: dict[RejectionReason, str] = {
    "program_disabled": "The referral program is disabled.",
    "unknown_code": "There is no such referral code.",
    "self_referral": "The customer and the referrer share a mailbox.",
    "same_device": "The customer and the referrer use the same device.",
    "circular_referral": "The customer shares a mailbox or a device with someone who referred the referrer.",
    "already_referred": "The customer's mailbox or device was referred before.",
}


class Evidence(msgspec.Struct, frozen=True):
    """What a new customer shares with a referrer: other customers with the same traces."""

    referrer_id: int
    # The chain of referrers above the referrer, nearest first.
    ancestors: Collection[int]
    same_mailbox: Collection[int]
    same_device: Collection[int]
    same_address: Collection[int]
    shares_email_domain: bool


def rejection(evidence: Evidence) -> RejectionReason | None:
    """Why the referral is not attributed."""
    if evidence.referrer_id in evidence.same_mailbox:
        return "self_referral"
    if evidence.referrer_id in evidence.same_device:
        return "same_device"
    if any(ancestor in evidence.same_mailbox or ancestor in evidence.same_device for ancestor in evidence.ancestors):
        return "circular_referral"
    return None


def marks(evidence: Evidence) -> list[str]:
    """What deserves a review although it is attributed: families share IP addresses, companies share domains."""
    reasons = []
    if evidence.referrer_id in evidence.same_address:
        reasons.append("same_address")
    if evidence.shares_email_domain:
        reasons.append("same_email_domain")
    return reasons
