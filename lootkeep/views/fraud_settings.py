"""The public JSON of the fraud settings: lists of trusted buyers only as their length."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from lootkeep.domain.fraud.countries import HIGH_RISK, SANCTIONED
from lootkeep.domain.fraud.policy import FraudAction, Policy, Sensitivity, WhenDue
from lootkeep.views.fields import field

# The two lists that responses with the settings only count.
COUNTED = ("fraud_whitelisted_ips", "fraud_whitelisted_emails")
# The parts of the policy with their own endpoints.
_OF_RULES = ("rules", "last_rule_id")


class FraudSettingsView(msgspec.Struct, frozen=True, kw_only=True):
    fraud_detection_enabled: Annotated[bool, field("Whether orders are judged.", True)] | UnsetType = UNSET
    fraud_sensitivity_level: (
        Annotated[Sensitivity, field("The score from which the action applies: 80, 60, 40.", "medium")] | UnsetType
    ) = UNSET
    fraud_action: Annotated[FraudAction, field("The action from that score on.", "block")] | UnsetType = UNSET
    fraud_block_vpn: Annotated[bool, field("Block VPNs regardless of the score.", False)] | UnsetType = UNSET
    fraud_block_proxy: Annotated[bool, field("Block open proxies.", False)] | UnsetType = UNSET
    fraud_block_datacenter: Annotated[bool, field("Block hosting providers.", False)] | UnsetType = UNSET
    fraud_block_tor: Annotated[bool, field("Block Tor exits.", True)] | UnsetType = UNSET
    fraud_block_sanctioned_countries: Annotated[bool, field("Block countries under embargo.", True)] | UnsetType = UNSET
    fraud_check_geo_mismatch: Annotated[bool, field("Compare IP country and billing country.", True)] | UnsetType = (
        UNSET
    )
    fraud_check_velocity: Annotated[bool, field("Check the velocity limits.", True)] | UnsetType = UNSET
    fraud_check_disposable_email: Annotated[bool, field("Detect disposable mailboxes.", True)] | UnsetType = UNSET
    fraud_judge_at_payment: (
        Annotated[bool, field("Extension: judge an order again when its payment brings new facts.", True)] | UnsetType
    ) = UNSET
    fraud_accounts_made_at_checkout: (
        Annotated[bool, field("Extension: checkout creates the account, so its first minute is not suspicious.", False)]
        | UnsetType
    ) = UNSET
    fraud_signal_points: (
        Annotated[dict[str, int], field("Extension: adjustments to the points of signals, by name.", {"vpn": -4})]
        | UnsetType
    ) = UNSET
    fraud_velocity_limit_orders_per_ip: Annotated[int, field("Orders per IP address, 1 to 100.", 5)] | UnsetType = UNSET
    fraud_velocity_limit_orders_per_email: Annotated[int, field("Orders per mailbox, 1 to 50.", 3)] | UnsetType = UNSET
    fraud_velocity_limit_declines: Annotated[int, field("Extension: declined payments, 1 to 50.", 5)] | UnsetType = (
        UNSET
    )
    fraud_velocity_window_minutes: Annotated[int, field("The velocity window, 15 to 1440 minutes.", 60)] | UnsetType = (
        UNSET
    )
    fraud_review_due_hours: (
        Annotated[int, field("Extension: how long a review may take, 1 to 720.", 24)] | UnsetType
    ) = UNSET
    fraud_review_when_due: (
        Annotated[WhenDue, field("Extension: what happens to a held order then.", "wait")] | UnsetType
    ) = UNSET
    fraud_review_daily_budget: (
        Annotated[int, field("Extension: how many of the riskiest allowed orders of a day to review, 0 to 1000.", 0)]
        | UnsetType
    ) = UNSET
    fraud_custom_blocked_countries: (
        Annotated[list[str], field("Countries blocked regardless of the score.", ["RU"])] | UnsetType
    ) = UNSET
    fraud_whitelisted_ips_count: Annotated[int, field("The number of trusted IP addresses.", 2)] | UnsetType = UNSET
    fraud_whitelisted_emails_count: Annotated[int, field("The number of trusted e-mail addresses.", 5)] | UnsetType = (
        UNSET
    )


class FraudSettingsAnswerView(msgspec.Struct, frozen=True):
    settings: FraudSettingsView
    sanctioned_countries: Annotated[list[str], field("Under a comprehensive embargo.", sorted(SANCTIONED))]
    high_risk_countries: Annotated[list[str], field("Countries that count a few points.", sorted(HIGH_RISK))]
    missing_lists: Annotated[
        list[str],
        field("Extension: data without a loaded list, which is therefore never detected.", ["vpn", "proxy", "tor"]),
    ]


class WhitelistedIpsView(msgspec.Struct, frozen=True):
    whitelisted_ips: Annotated[list[str], field("All trusted IP addresses, sorted.", ["203.0.113.9"])]


class WhitelistedEmailsView(msgspec.Struct, frozen=True):
    whitelisted_emails: Annotated[list[str], field("All trusted e-mail addresses, sorted.", ["jun@example.com"])]


class BlockedCountriesView(msgspec.Struct, frozen=True):
    blocked_countries: Annotated[list[str], field("All blocked countries, sorted.", ["RU"])]


def answer(policy: Policy, missing_lists: list[str]) -> FraudSettingsAnswerView:
    values = settings(policy, [name for name in Policy.__struct_fields__ if name not in _OF_RULES])
    return FraudSettingsAnswerView(values, sorted(SANCTIONED), sorted(HIGH_RISK), missing_lists)


def settings(policy: Policy, names: Collection[str]) -> FraudSettingsView:
    """Only the named fields: an update returns what was sent."""
    values: dict[str, Any] = {}
    for name in names:
        value = getattr(policy, name)
        if name in COUNTED:
            values[f"{name}_count"] = len(value)
        else:
            values[name] = sorted(value) if isinstance(value, frozenset) else value
    return FraudSettingsView(**values)
