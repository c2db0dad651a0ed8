"""What a fraud check reports besides its points: boolean flags that lists can filter by."""

from __future__ import annotations

import msgspec

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.signals.geography import geo_mismatch, sanctioned_country
from lootkeep.domain.fraud.signals.velocity import velocity_email, velocity_ip


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    has_geo_mismatch: bool
    has_velocity_violation: bool
    is_sanctioned_country: bool
    is_disposable_email: bool


def flags(facts: OrderFacts, policy: Policy) -> Flags:
    """By the rules of the signals: if a check is turned off, its flag is false."""
    exceeds = velocity_ip(facts, policy) or velocity_email(facts, policy)
    return Flags(
        has_geo_mismatch=policy.fraud_check_geo_mismatch and geo_mismatch(facts, policy),
        has_velocity_violation=policy.fraud_check_velocity and bool(exceeds),
        is_sanctioned_country=sanctioned_country(facts, policy),
        is_disposable_email=policy.fraud_check_disposable_email and facts.mail.is_disposable,
    )
