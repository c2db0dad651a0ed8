"""Where the buyer is, by IP address and by billing country."""

from __future__ import annotations

from lootkeep.domain.fraud import countries
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy


def sanctioned_country(facts: OrderFacts, policy: Policy) -> bool:
    """The IP country or the billing country is under a comprehensive embargo."""
    return facts.network.country in countries.SANCTIONED or facts.billing_country in countries.SANCTIONED


def blocked_country(facts: OrderFacts, policy: Policy) -> bool:
    """The IP country or the billing country is on the store's own list of blocked countries."""
    blocked = policy.fraud_custom_blocked_countries
    return facts.network.country in blocked or facts.billing_country in blocked


def high_risk_country(facts: OrderFacts, policy: Policy) -> bool:
    """The IP country or the billing country is in the high-risk table."""
    return facts.network.country in countries.HIGH_RISK or facts.billing_country in countries.HIGH_RISK


def geo_mismatch(facts: OrderFacts, policy: Policy) -> bool:
    """The IP country differs from the billing country. Not applied to datacenters, whose listed country is often \
that of the owner, not of the machine, nor added to `vpn`, `proxy` or `tor`."""
    detected, billing = facts.network.country, facts.billing_country
    return bool(detected and billing and detected != billing and not facts.network.is_datacenter)
