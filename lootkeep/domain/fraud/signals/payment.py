"""What the means of payment says: whose it is, and how many one account tries."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

# More than three others say no more than three.
MAX_OTHERS = 3


def card_accounts(facts: OrderFacts, policy: Policy) -> int:
    """Other accounts paid with this instrument in the last 730 days, for each of up to three."""
    return min(facts.history.instrument_accounts, MAX_OTHERS)


def account_cards(facts: OrderFacts, policy: Policy) -> int:
    """This account used other instruments within 24 hours, for each of up to three."""
    return min(facts.history.customer_instruments_in_day, MAX_OTHERS)


def card_testing(facts: OrderFacts, policy: Policy) -> int:
    """More payments of this account, on this device or from this address were declined within the window than the \
limit: above it counts once, above twice the limit twice."""
    declines, limit = facts.history.declined_payments, policy.fraud_velocity_limit_declines
    return (declines > limit) + (declines > 2 * limit)


def card_country_mismatch(facts: OrderFacts, policy: Policy) -> bool:
    """The card was issued in another country than the billing address."""
    issued, billing = facts.payment.country, facts.billing_country
    return bool(issued and billing and issued != billing)


def prepaid(facts: OrderFacts, policy: Policy) -> bool:
    """The card is a prepaid one."""
    return facts.payment.funding == "prepaid"


def three_d_secure(facts: OrderFacts, policy: Policy) -> bool:
    """Counts in favour: the buyer passed a 3-D Secure challenge of the bank."""
    return facts.payment.three_d_secure == "passed"
