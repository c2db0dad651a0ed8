"""How much is bought lately, and how much at once: the store owner sets the limits and the window."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

# The history has the orders before this one: as many as the limit, and this one is the first too many.


def velocity_ip(facts: OrderFacts, policy: Policy) -> bool:
    """There are more orders from this address within the window than the limit. Counts little: strangers share one."""
    return facts.history.address_orders + 1 > policy.fraud_velocity_limit_orders_per_ip


def velocity_email(facts: OrderFacts, policy: Policy) -> int:
    """Orders of this mailbox within the window, for each one above the limit; tags and dots do not make another."""
    return max(0, facts.history.mailbox_orders + 1 - policy.fraud_velocity_limit_orders_per_email)


def order_burst(facts: OrderFacts, policy: Policy) -> int:
    """A customer with no order older than a week orders again within 24 hours: the second order counts once, \
each further one twice more."""
    earlier = facts.history.customer_orders_in_day
    return 0 if facts.history.has_older_order or not earlier else 2 * earlier - 1


def large_order(facts: OrderFacts, policy: Policy) -> bool:
    """The amount is above nine of ten orders of this store in the last 90 days. Silent below 100 orders."""
    return facts.history.large_from is not None and facts.amount > facts.history.large_from
