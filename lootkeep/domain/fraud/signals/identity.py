"""Who the buyer is: new accounts, shared devices and IP addresses, bots, and the customer's history."""

from __future__ import annotations

from lootkeep.domain.fraud.agents import is_bot
from lootkeep.domain.fraud.facts import ENOUGH_OLD_ORDERS, TRUSTED_AFTER, OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import DAY, HOUR, MINUTE

# More than three other accounts mean no more than three.
MAX_ACCOUNTS = 3
# A customer is trusted on a device used for at least a day.
DEVICE_TRUSTED_AFTER = DAY


def account_age(facts: OrderFacts, policy: Policy) -> int:
    """The account is new: less than a minute old counts four times, less than an hour three times, less than a day \
once. With `fraud_accounts_made_at_checkout` the first minute does not count."""
    if facts.customer_created_at is None:
        return 0
    age = facts.at - facts.customer_created_at
    # Clocks may differ slightly; an account much younger than its order is a data error.
    if age < -MINUTE or age > DAY:
        return 0
    if age <= MINUTE:
        return 0 if policy.fraud_accounts_made_at_checkout else 4
    return 3 if age <= HOUR else 1


def device_reuse(facts: OrderFacts, policy: Policy) -> bool:
    """Other accounts were seen on this device in the last 730 days, no matter how many."""
    return facts.history.device_accounts > 0


def device_newcomer(facts: OrderFacts, policy: Policy) -> int:
    """Counts each of up to three accounts that used this device before this account was created. Accounts of the \
last hour count in `device_velocity` instead. Later accounts do not count against the first owner."""
    return min(facts.history.device_accounts_before, MAX_ACCOUNTS)


def device_velocity(facts: OrderFacts, policy: Policy) -> int:
    """Counts each of up to three other accounts that were seen on this device within the last hour."""
    return min(facts.history.device_accounts_in_hour, MAX_ACCOUNTS)


def ip_accounts(facts: OrderFacts, policy: Policy) -> bool:
    """Other accounts used this IP address within the last hour. Counts little: households and cafés share one."""
    return facts.history.address_accounts_in_hour > 0


def player_accounts(facts: OrderFacts, policy: Policy) -> int:
    """Counts each of up to three other accounts that ordered for this player in the last 730 days."""
    return min(facts.history.player_accounts, MAX_ACCOUNTS)


def user_agent_missing_or_bot(facts: OrderFacts, policy: Policy) -> int:
    """The user agent is a bot (counts four times) or missing (counts once)."""
    if facts.user_agent:
        return 4 if is_bot(facts.user_agent) else 0
    return 1 if facts.is_user_agent_asked else 0


def referral_abuse(facts: OrderFacts, policy: Policy) -> bool:
    """The customer tried to refer themself: a referral was rejected because of the same mailbox, the same device or \
a circle, or they pay with the card of the customer who referred them."""
    return facts.history.has_refused_referral


def confirmed_fraud(facts: OrderFacts, policy: Policy) -> int:
    """An earlier order was confirmed as fraud by a review, a refund or the bank. An order of the same customer counts \
three times, one with the same payment instrument or mailbox twice, one on the same device or for the same player \
once. Only the closest link counts."""
    history = facts.history
    if history.confirmed_frauds:
        return 3
    if history.instrument_fraud or history.mailbox_fraud:
        return 2
    return int(history.device_fraud or history.player_fraud)


def trusted_customer(facts: OrderFacts, policy: Policy) -> bool:
    """Counts in favour: this customer paid an order more than 60 days ago, no order was fraud or disputed, and the \
account has used the device, if one is sent, for at least a day."""
    history = facts.history
    if history.first_paid_at is None or facts.at - history.first_paid_at <= TRUSTED_AFTER:
        return False
    if history.confirmed_frauds or history.has_dispute:
        return False
    since = history.device_known_since
    return not facts.has_device or (since is not None and facts.at - since >= DEVICE_TRUSTED_AFTER)


def is_known_buyer(facts: OrderFacts) -> bool:
    """Three orders were paid more than 60 days ago, none was fraud or disputed, and the device or the card was known \
for as long."""
    history = facts.history
    if history.old_paid_orders < ENOUGH_OLD_ORDERS or history.confirmed_frauds or history.has_dispute:
        return False
    known_since = (history.device_known_since, history.instrument_known_since)
    return any(since is not None and facts.at - since > TRUSTED_AFTER for since in known_since)
