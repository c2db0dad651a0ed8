"""How much was bought lately, and how much at once: the store owner sets the limits and the window."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

# The history excludes this order, so each count adds one for it.


def velocity_ip(facts: OrderFacts, policy: Policy) -> bool:
    """The orders from this IP address within the window exceed the limit. Counts little: strangers share one."""
    return facts.history.address_orders + 1 > policy.fraud_velocity_limit_orders_per_ip


def velocity_email(facts: OrderFacts, policy: Policy) -> int:
    """Counts each order of this mailbox within the window above the limit. Tags and dots do not change the mailbox."""
    return max(0, facts.history.mailbox_orders + 1 - policy.fraud_velocity_limit_orders_per_email)


def order_burst(facts: OrderFacts, policy: Policy) -> int:
    """A customer without orders older than a week orders again within 24 hours: the second order counts once, \
each further order adds two."""
    earlier = facts.history.customer_orders_in_day
    return 0 if facts.history.has_older_order or not earlier else 2 * earlier - 1


def large_order(facts: OrderFacts, policy: Policy) -> bool:
    """The amount is higher than that of 90 % of the store's orders of the last 90 days. Inactive below 100 orders."""
    return facts.history.large_from is not None and facts.amount > facts.history.large_from
