"""What the methods of `fraud` take; written by `python -m tools.write_client`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict


class ListFraudChecks(TypedDict, total=False):
    """List fraud checks."""

    page: int
    per_page: int
    risk_level: Literal["low", "medium", "high", "critical"]
    action_taken: Literal["allowed", "flagged", "blocked", "verification_required"]
    is_reviewed: bool
    start_date: str
    end_date: str


class ReviewFraudCheck(TypedDict, total=False):
    """Review a fraud check."""

    outcome: Required[Literal["legitimate", "fraud", "inconclusive"]]
    notes: str | None
    whitelist_ip: bool
    whitelist_email: bool
    block: Sequence[Literal["customer", "email", "device", "ip", "instrument"]]


class UpdateFraudSettings(TypedDict, total=False):
    """Update the settings of fraud detection."""

    fraud_detection_enabled: bool
    fraud_sensitivity_level: Literal["low", "medium", "high"]
    fraud_action: Literal["block", "flag", "verify"]
    fraud_block_vpn: bool
    fraud_block_proxy: bool
    fraud_block_datacenter: bool
    fraud_block_tor: bool
    fraud_block_sanctioned_countries: bool
    fraud_check_geo_mismatch: bool
    fraud_check_velocity: bool
    fraud_check_disposable_email: bool
    fraud_accounts_made_at_checkout: bool
    fraud_signal_points: Mapping[str, Any]
    fraud_velocity_limit_orders_per_ip: int
    fraud_velocity_limit_orders_per_email: int
    fraud_velocity_window_minutes: int
    fraud_custom_blocked_countries: Sequence[str]
    fraud_whitelisted_ips: Sequence[str]
    fraud_whitelisted_emails: Sequence[str]


class WhitelistIp(TypedDict, total=False):
    """Trust an IP address."""

    ip: Required[str]


class UnwhitelistIp(TypedDict, total=False):
    """Stop trusting an IP address."""

    ip: Required[str]


class WhitelistEmail(TypedDict, total=False):
    """Trust an e-mail."""

    email: Required[str]


class UnwhitelistEmail(TypedDict, total=False):
    """Stop trusting an e-mail."""

    email: Required[str]


class BlockCountry(TypedDict, total=False):
    """Block a country."""

    country_code: Required[str]


class UnblockCountry(TypedDict, total=False):
    """Stop blocking a country."""

    country_code: Required[str]


class BacktestSettings(TypedDict, total=False):
    """Backtest settings or a rule on past orders."""

    settings: Mapping[str, Any]
    rule: Mapping[str, Any] | None
    days: int


class ExplainBuyer(TypedDict, total=False):
    """Explain what counts against a buyer now."""

    ip: str
    email: str


class CreateFraudRule(TypedDict, total=False):
    """Create a rule."""

    name: Required[str]
    expression: Required[str]
    action: Required[Literal["allow", "block", "verify", "flag", "points"]]
    points: int
    mode: Literal["off", "shadow", "on"]
    note: str | None
    expires_at: str | None


class UpdateFraudRule(TypedDict, total=False):
    """Update a rule."""

    name: str
    expression: str
    action: Literal["allow", "block", "verify", "flag", "points"]
    points: int
    mode: Literal["off", "shadow", "on"]
    note: str | None
    expires_at: str | None


class CreateFraudList(TypedDict, total=False):
    """Create a list."""

    name: Required[str]
    kind: Required[Literal["email", "domain", "ip", "device", "instrument", "country", "customer"]]
    note: str | None


class ListFraudListEntries(TypedDict, total=False):
    """List the entries of a list."""

    page: int
    per_page: int
    value: str


class AddFraudListEntries(TypedDict, total=False):
    """Add entries to a list."""

    values: Required[Sequence[str]]
    reason: str | None
    expires_at: str | None


class RemoveFraudListEntry(TypedDict, total=False):
    """Remove an entry from a list."""

    value: Required[str]
