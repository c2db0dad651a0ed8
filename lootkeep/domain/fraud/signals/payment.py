"""What the payment instrument shows: which accounts share it, and how many one account tries."""

from __future__ import annotations

from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.policy import Policy

# More than three others mean no more than three.
MAX_OTHERS = 3


def card_accounts(facts: OrderFacts, policy: Policy) -> int:
    """Counts each of up to three other accounts that paid with this instrument in the last 730 days."""
    return min(facts.history.instrument_accounts, MAX_OTHERS)


def account_cards(facts: OrderFacts, policy: Policy) -> int:
    """Counts each of up to three other instruments that paid for this account within 24 hours. A declined card is \
none."""
    return min(facts.history.customer_instruments_in_day, MAX_OTHERS)


def card_testing(facts: OrderFacts, policy: Policy) -> int:
    """The payments of this account, device or IP address that were declined within the window exceed the limit: \
above the limit counts once, above twice the limit counts twice. Those at an IP address count only for accounts that \
have no paid order from it older than a day."""
    declines, limit = facts.history.declined_payments, policy.fraud_velocity_limit_declines
    return (declines > limit) + (declines > 2 * limit)


def card_country_mismatch(facts: OrderFacts, policy: Policy) -> bool:
    """The card was issued in a country other than the billing country."""
    issued, billing = facts.payment.country, facts.billing_country
    return bool(issued and billing and issued != billing)


def prepaid(facts: OrderFacts, policy: Policy) -> bool:
    """The card is prepaid."""
    return facts.payment.funding == "prepaid"


def three_d_secure(facts: OrderFacts, policy: Policy) -> bool:
    """Counts in favour: the buyer passed the bank's 3-D Secure challenge."""
    return facts.payment.three_d_secure == "passed"
