"""Who the buyer is: new accounts, shared devices and addresses, programs, and what is known from before."""

from __future__ import annotations

from lootkeep.domain.fraud.agents import is_bot
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import DAY, HOUR, MINUTE

# More than three other accounts say no more than three.
MOST_ACCOUNTS = 3
MOST_NEIGHBOURS = 2


def account_age(facts: OrderFacts, policy: Policy) -> int:
    """The account was made shortly before: within a minute counts five times, within an hour three times, \
within a day once."""
    if facts.customer_created_at is None:
        return 0
    age = facts.at - facts.customer_created_at
    # Two clocks may differ by a little; an account much younger than its order is a fault in the records.
    if age < -MINUTE or age > DAY:
        return 0
    return 5 if age <= MINUTE else 3 if age <= HOUR else 1


def device_reuse(facts: OrderFacts, policy: Policy) -> int:
    """Other accounts were seen on this device in the last 180 days, for each of up to three."""
    return min(facts.history.device_accounts, MOST_ACCOUNTS)


def device_velocity(facts: OrderFacts, policy: Policy) -> int:
    """Other accounts were seen on this device within the hour, for each of up to three."""
    return min(facts.history.device_accounts_in_hour, MOST_ACCOUNTS)


def ip_accounts(facts: OrderFacts, policy: Policy) -> int:
    """Other accounts were seen at this address within the hour, for each of up to two. \
Counts little: households and cafés share one."""
    return min(facts.history.address_accounts_in_hour, MOST_NEIGHBOURS)


def user_agent_missing_or_bot(facts: OrderFacts, policy: Policy) -> int:
    """The user agent names a program (counts four times) or is missing (once)."""
    if facts.user_agent:
        return 4 if is_bot(facts.user_agent) else 0
    return 1 if facts.is_user_agent_asked else 0


def referral_abuse(facts: OrderFacts, policy: Policy) -> bool:
    """The customer tried to refer themself: a referral was refused for the same mailbox, device or a circle."""
    return facts.history.has_refused_referral


def confirmed_fraud(facts: OrderFacts, policy: Policy) -> int:
    """A reviewer called an earlier order of this customer fraud."""
    return facts.history.confirmed_frauds
