"""How many orders came lately: the store owner sets the limits and the window."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

# The history has the orders before this one: as many as the limit, and this one is the first too many.


def velocity_ip(facts: OrderFacts, policy: Policy) -> int:
    """Orders from this address within the window, for each one above the limit."""
    return max(0, facts.history.address_orders + 1 - policy.fraud_velocity_limit_orders_per_ip)


def velocity_email(facts: OrderFacts, policy: Policy) -> int:
    """Orders of this mailbox within the window, for each one above the limit; tags and dots do not make another."""
    return max(0, facts.history.mailbox_orders + 1 - policy.fraud_velocity_limit_orders_per_email)
