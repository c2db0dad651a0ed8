"""The store owner's settings for fraud detection; the defaults are those of a new store."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from lootkeep.domain.fraud.rule import MAX_RULES, Rule
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import Unprocessable

Sensitivity = Literal["low", "medium", "high"]
FraudAction = Literal["block", "flag", "verify"]
# What happens to a held order without a review in time.
WhenDue = Literal["wait", "release", "cancel"]

# The settings are stored under this name.
SETTINGS = "fraud"

# The maximum length of each of the three lists.
MAX_ENTRIES = 10_000

# The maximum change of the points of a signal.
MAX_POINTS_CHANGE = 40

# The allowed values of the limits on orders.
LIMITS = {
    "fraud_velocity_limit_orders_per_ip": (1, 100),
    "fraud_velocity_limit_orders_per_email": (1, 50),
    "fraud_velocity_limit_declines": (1, 50),
    "fraud_velocity_window_minutes": (15, 1440),
    "fraud_review_due_hours": (1, 720),
    "fraud_review_daily_budget": (0, 1000),
}

# The label of each switch and limit.
LABELS = {
    "fraud_detection_enabled": "Check every order",
    "fraud_block_vpn": "Block VPN addresses",
    "fraud_block_proxy": "Block open proxies",
    "fraud_block_datacenter": "Block datacenter addresses",
    "fraud_block_tor": "Block Tor exits",
    "fraud_block_sanctioned_countries": "Block countries under embargo",
    "fraud_check_geo_mismatch": "Compare the countries of address and bill",
    "fraud_check_velocity": "Count orders within a window of time",
    "fraud_check_disposable_email": "Look for disposable e-mail addresses",
    "fraud_judge_at_payment": "Judge an order again when its payment brings new facts",
    "fraud_accounts_made_at_checkout": "Accounts are made by buying, so a new one says nothing",
    "fraud_velocity_limit_orders_per_ip": "Orders from one address within the window",
    "fraud_velocity_limit_orders_per_email": "Orders of one mailbox within the window",
    "fraud_velocity_limit_declines": "Declined payments of one account, device or address within the window",
    "fraud_velocity_window_minutes": "The window, in minutes",
    "fraud_review_due_hours": "Hours until a review is due",
    "fraud_review_daily_budget": "Allowed orders of a day to look at, the riskiest",
}


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """The settings. Lists are canonical: IP addresses in one form, e-mails lower case, countries upper case."""

    fraud_detection_enabled: bool = True
    fraud_sensitivity_level: Sensitivity = "medium"
    fraud_action: FraudAction = "block"
    fraud_block_vpn: bool = False
    fraud_block_proxy: bool = False
    fraud_block_datacenter: bool = False
    fraud_block_tor: bool = True
    fraud_block_sanctioned_countries: bool = True
    fraud_check_geo_mismatch: bool = True
    fraud_check_velocity: bool = True
    fraud_check_disposable_email: bool = True
    # Where the outcome is worse then, the money is recorded and nothing is handed over.
    fraud_judge_at_payment: bool = True
    # If checkout creates the account, a first order within a minute says nothing.
    fraud_accounts_made_at_checkout: bool = False
    fraud_velocity_limit_orders_per_ip: int = 5
    fraud_velocity_limit_orders_per_email: int = 3
    fraud_velocity_limit_declines: int = 5
    fraud_velocity_window_minutes: int = 60
    fraud_review_due_hours: int = 24
    fraud_review_when_due: WhenDue = "wait"
    # How many of the riskiest allowed orders of a day to review.
    fraud_review_daily_budget: int = 0
    fraud_custom_blocked_countries: frozenset[str] = frozenset()
    fraud_whitelisted_ips: frozenset[str] = frozenset()
    fraud_whitelisted_emails: frozenset[str] = frozenset()
    # Added to the points of signals, by name, as calibrated with the store's own orders.
    fraud_signal_points: dict[str, int] = {}
    # The store's own rules, ordered by id.
    rules: tuple[Rule, ...] = ()
    last_rule_id: int = 0


def with_new_rule(policy: Policy, terms: dict[str, Any], author: int, now: Instant) -> Policy:
    """With one rule more. Checks refer to rules by id, so no id is used twice."""
    if len(policy.rules) >= MAX_RULES:
        raise Unprocessable("too_many_rules", f"A store can have {MAX_RULES} rules; delete one that is off.")
    rule = Rule(id=policy.last_rule_id + 1, **terms, updated_by=author, created_at=now, updated_at=now)
    return replace(policy, rules=(*policy.rules, rule), last_rule_id=rule.id)
