"""The settings of fraud detection over HTTP, with the lists of trusted buyers and blocked countries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from pydantic import BeforeValidator, Field

from lootkeep.api.http.fields import Country, EmailAddress, IpAddressText, field, refuse
from lootkeep.api.http.routes import MAX_LARGE_BODY, Call, Reply, Route, single
from lootkeep.api.http.validation import Body, partial
from lootkeep.domain.fraud.policy import (
    LIMITS,
    MAX_ENTRIES,
    MAX_POINTS_CHANGE,
    SETTINGS,
    FraudAction,
    Policy,
    Sensitivity,
    WhenDue,
)
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.kernel.words import did_you_mean
from lootkeep.services import fraud as fraud_service
from lootkeep.services.fraud import ListName
from lootkeep.services.health import lists as health_lists
from lootkeep.storage import settings as settings_db
from lootkeep.views import fraud_settings as fraud_settings_views

_LIST_VIEWS: dict[ListName, Callable[[list[str]], msgspec.Struct]] = {
    "fraud_whitelisted_ips": fraud_settings_views.WhitelistedIpsView,
    "fraud_whitelisted_emails": fraud_settings_views.WhitelistedEmailsView,
    "fraud_custom_blocked_countries": fraud_settings_views.BlockedCountriesView,
}


def _limit(name: str, description: str, example: int) -> Any:
    smallest, largest = LIMITS[name]
    return field(description, example, ge=smallest, le=largest)


def _signals(points: Any) -> Any:
    """Before the points are checked: an error names their signal."""
    unknown = points.keys() - BY_NAME.keys() if isinstance(points, dict) else ()
    if unknown:
        raise refuse(f"must name signals that exist{did_you_mean(sorted(unknown), BY_NAME)}")
    return points


class FraudSettingsBody(Body):
    """The settings to change."""

    fraud_detection_enabled: Annotated[bool, field("Whether orders are judged.", True)]
    fraud_sensitivity_level: Annotated[
        Sensitivity, field("The score from which the action applies: 80, 60, 40.", "high")
    ]
    fraud_action: Annotated[FraudAction, field("The action from that score on.", "verify")]
    fraud_block_vpn: Annotated[bool, field("Block VPNs regardless of the score.", True)]
    fraud_block_proxy: Annotated[bool, field("Block open proxies.", True)]
    fraud_block_datacenter: Annotated[bool, field("Block hosting providers.", False)]
    fraud_block_tor: Annotated[bool, field("Block Tor exits.", True)]
    fraud_block_sanctioned_countries: Annotated[bool, field("Block countries under embargo.", True)]
    fraud_check_geo_mismatch: Annotated[bool, field("Compare IP country and billing country.", True)]
    fraud_check_velocity: Annotated[bool, field("Check the velocity limits.", True)]
    fraud_check_disposable_email: Annotated[bool, field("Detect disposable mailboxes.", True)]
    fraud_judge_at_payment: Annotated[
        bool,
        field(
            "Extension: judge an order again when its payment brings new facts. Where the outcome is "
            "worse, the order is paid, but held.",
            True,
        ),
    ]
    fraud_accounts_made_at_checkout: Annotated[
        bool, field("Extension: checkout creates the account, so its first minute is not suspicious.", True)
    ]
    fraud_signal_points: Annotated[
        dict[str, Annotated[int, Field(ge=-MAX_POINTS_CHANGE, le=MAX_POINTS_CHANGE)]],
        field("Extension: adjustments to the points of signals, by name. Replaces the existing ones.", {"vpn": -4}),
        BeforeValidator(_signals),
    ]
    fraud_velocity_limit_orders_per_ip: Annotated[
        int, _limit("fraud_velocity_limit_orders_per_ip", "Orders per IP address in the window.", 5)
    ]
    fraud_velocity_limit_orders_per_email: Annotated[
        int, _limit("fraud_velocity_limit_orders_per_email", "Orders per mailbox in the window.", 3)
    ]
    fraud_velocity_limit_declines: Annotated[
        int,
        _limit(
            "fraud_velocity_limit_declines",
            "Extension: declined payments of an account, a device or an IP address in the window.",
            5,
        ),
    ]
    fraud_velocity_window_minutes: Annotated[int, _limit("fraud_velocity_window_minutes", "The velocity window.", 60)]
    fraud_review_due_hours: Annotated[
        int, _limit("fraud_review_due_hours", "Extension: how long a review may take.", 24)
    ]
    fraud_review_when_due: Annotated[WhenDue, field("Extension: what happens to a held order after that.", "cancel")]
    fraud_review_daily_budget: Annotated[
        int,
        _limit(
            "fraud_review_daily_budget", "Extension: how many of the riskiest allowed orders of a day to review.", 20
        ),
    ]
    fraud_custom_blocked_countries: Annotated[
        list[Country], field("Replaces the list.", ["RU", "BY"], max_length=MAX_ENTRIES)
    ]
    fraud_whitelisted_ips: Annotated[
        list[IpAddressText], field("Replaces the list.", ["203.0.113.9"], max_length=MAX_ENTRIES)
    ]
    fraud_whitelisted_emails: Annotated[
        list[EmailAddress], field("Replaces the list.", ["jun@example.com"], max_length=MAX_ENTRIES)
    ]


FraudSettingsChanges = partial(FraudSettingsBody, "FraudSettingsChanges")


class IpBody(Body):
    """An IP address to trust."""

    ip: Annotated[IpAddressText, field("IPv4 or IPv6.", "203.0.113.9")]


class EmailBody(Body):
    """An e-mail address to trust."""

    email: Annotated[EmailAddress, field("Case does not matter.", "jun@example.com")]


class CountryBody(Body):
    """A country to block."""

    country_code: Annotated[Country, field("ISO 3166-1 alpha-2.", "RU")]


async def get_fraud_settings(call: Call[None, None]) -> Reply:
    async with call.deps.db.read() as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
    return Reply(fraud_settings_views.answer(policy, health_lists.missing(call.deps.intelligence)))


async def update_fraud_settings(call: Call[Body, None]) -> Reply:
    sent = call.body.sent()
    return Reply(fraud_settings_views.settings(await fraud_service.change_settings(call.deps, changes(sent)), sent))


def changes(sent: dict[str, Any]) -> dict[str, Any]:
    """As the policy stores them: a list is a set."""
    return {name: frozenset(value) if name in _LIST_VIEWS else value for name, value in sent.items()}


async def whitelist_ip(call: Call[IpBody, None]) -> Reply:
    return await _change_list(call, "fraud_whitelisted_ips", call.body.ip, is_added=True)


async def unwhitelist_ip(call: Call[IpBody, None]) -> Reply:
    return await _change_list(call, "fraud_whitelisted_ips", call.body.ip, is_added=False)


async def whitelist_email(call: Call[EmailBody, None]) -> Reply:
    return await _change_list(call, "fraud_whitelisted_emails", call.body.email, is_added=True)


async def unwhitelist_email(call: Call[EmailBody, None]) -> Reply:
    return await _change_list(call, "fraud_whitelisted_emails", call.body.email, is_added=False)


async def block_country(call: Call[CountryBody, None]) -> Reply:
    return await _change_list(call, "fraud_custom_blocked_countries", call.body.country_code, is_added=True)


async def unblock_country(call: Call[CountryBody, None]) -> Reply:
    return await _change_list(call, "fraud_custom_blocked_countries", call.body.country_code, is_added=False)


async def _change_list(call: Call[Any, None], name: ListName, entry: str, *, is_added: bool) -> Reply:
    return Reply(_LIST_VIEWS[name](await fraud_service.change_list(call.deps, name, entry, is_added=is_added)))


_AGAIN = "Adding an existing entry changes nothing."
_ABSENT = "Removing a missing entry changes nothing."

ROUTES = (
    Route(
        "GET",
        "/fraud/settings",
        get_fraud_settings,
        "fraud:read",
        "Read the settings of fraud detection",
        single(fraud_settings_views.FraudSettingsAnswerView),
        description="The settings that apply to the next order.",
    ),
    Route(
        "PUT",
        "/fraud/settings",
        update_fraud_settings,
        "fraud:write",
        "Update the settings of fraud detection",
        single(fraud_settings_views.FraudSettingsView, "Fraud settings updated successfully"),
        body=FraudSettingsChanges,
        max_body=MAX_LARGE_BODY,
        description="Accepts any subset of the fields and returns those that were sent.",
    ),
    Route(
        "POST",
        "/fraud/whitelist/ip",
        whitelist_ip,
        "fraud:write",
        "Trust an IP address",
        single(fraud_settings_views.WhitelistedIpsView, "IP added to whitelist"),
        description=_AGAIN,
    ),
    Route(
        "DELETE",
        "/fraud/whitelist/ip",
        unwhitelist_ip,
        "fraud:write",
        "Stop trusting an IP address",
        single(fraud_settings_views.WhitelistedIpsView, "IP removed from whitelist"),
        description=_ABSENT,
    ),
    Route(
        "POST",
        "/fraud/whitelist/email",
        whitelist_email,
        "fraud:write",
        "Trust an e-mail address",
        single(fraud_settings_views.WhitelistedEmailsView, "Email added to whitelist"),
        description=_AGAIN,
    ),
    Route(
        "DELETE",
        "/fraud/whitelist/email",
        unwhitelist_email,
        "fraud:write",
        "Stop trusting an e-mail address",
        single(fraud_settings_views.WhitelistedEmailsView, "Email removed from whitelist"),
        description=_ABSENT,
    ),
    Route(
        "POST",
        "/fraud/blocked-countries",
        block_country,
        "fraud:write",
        "Block a country",
        single(fraud_settings_views.BlockedCountriesView, "Country added to blocked list"),
        description=_AGAIN,
    ),
    Route(
        "DELETE",
        "/fraud/blocked-countries",
        unblock_country,
        "fraud:write",
        "Stop blocking a country",
        single(fraud_settings_views.BlockedCountriesView, "Country removed from blocked list"),
        description=_ABSENT,
    ),
)
