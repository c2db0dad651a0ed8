"""What the methods of `fraud` take; written by `python -m tools.write_clients`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Required, TypedDict

from lootkeep_client import types


class ListFraudChecks(TypedDict, total=False):
    """List fraud checks."""

    page: int
    per_page: int
    risk_level: types.RiskLevel
    action_taken: types.FraudDecision
    is_reviewed: bool
    start_date: str
    end_date: str


class ReviewFraudCheck(TypedDict, total=False):
    """Review a fraud check."""

    outcome: Required[types.ReviewOutcome]
    notes: str | None
    whitelist_ip: bool
    whitelist_email: bool
    block: Sequence[types.BlockKind]


class UpdateFraudSettings(TypedDict, total=False):
    """Update the settings of fraud detection."""

    fraud_detection_enabled: bool
    fraud_sensitivity_level: types.FraudSensitivity
    fraud_action: types.FraudAction
    fraud_block_vpn: bool
    fraud_block_proxy: bool
    fraud_block_datacenter: bool
    fraud_block_tor: bool
    fraud_block_sanctioned_countries: bool
    fraud_check_geo_mismatch: bool
    fraud_check_velocity: bool
    fraud_check_disposable_email: bool
    fraud_judge_at_payment: bool
    fraud_accounts_made_at_checkout: bool
    fraud_signal_points: Mapping[str, int]
    fraud_velocity_limit_orders_per_ip: int
    fraud_velocity_limit_orders_per_email: int
    fraud_velocity_limit_declines: int
    fraud_velocity_window_minutes: int
    fraud_review_due_hours: int
    fraud_review_when_due: types.FraudWhenDue
    fraud_review_daily_budget: int
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
    """Trust an e-mail address."""

    email: Required[str]


class UnwhitelistEmail(TypedDict, total=False):
    """Stop trusting an e-mail address."""

    email: Required[str]


class BlockCountry(TypedDict, total=False):
    """Block a country."""

    country_code: Required[str]


class UnblockCountry(TypedDict, total=False):
    """Stop blocking a country."""

    country_code: Required[str]


class BacktestSettings(TypedDict, total=False):
    """Backtest settings or a rule on past orders."""

    settings: types.FraudSettingsChanges
    rule: types.TriedRuleBody | None
    days: int


class ExplainBuyer(TypedDict, total=False):
    """Explain what counts against a buyer now."""

    ip: str
    email: str
    player: str


class ReviewRing(TypedDict, total=False):
    """Review several fraud checks at once."""

    check_ids: Required[Sequence[int]]
    outcome: Required[types.ReviewOutcome]
    notes: str | None
    block: Sequence[types.BlockKind]


class ListReviewQueue(TypedDict, total=False):
    """List the review queue."""

    page: int
    per_page: int
    risk_level: types.RiskLevel
    action_taken: types.FraudDecision
    owner_id: int
    sort: Literal["expected_loss", "due_at", "risk_score", "created_at"]
    order: types.SortDirection


class AssignCheck(TypedDict, total=False):
    """Assign a fraud check."""

    owner_id: Required[int | None]
    due_at: str | None
