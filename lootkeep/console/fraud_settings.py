"""The settings of fraud detection with what they would change, its lists, and how right its signals are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, get_args

from msgspec.structs import asdict, replace

from lootkeep.console.page import Answer, Done, Page, Visit, url
from lootkeep.domain import identity, inputs
from lootkeep.domain.fraud.countries import HIGH_RISK, SANCTIONED
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.policy import LIMITS, SETTINGS, FraudAction, Policy, Sensitivity, WhenDue
from lootkeep.domain.fraud.score import FLAGGED_FROM, THRESHOLDS
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.kernel.errors import InvalidFields, NotFound, invalid
from lootkeep.services import fraud as fraud_service
from lootkeep.services import fraud_reports
from lootkeep.storage import fraud_entries, fraud_truth
from lootkeep.storage import settings as settings_db
from lootkeep.views import fraud_reports as fraud_reports_views

WHAT_IF_DAYS = 30
# So many entries of a list are shown; the search finds the others.
MAX_SHOWN = 100
_SENSITIVITIES = {
    "low": f"Low: from a score of {THRESHOLDS['low']}",
    "medium": f"Medium: from a score of {THRESHOLDS['medium']}",
    "high": f"High: from a score of {THRESHOLDS['high']}",
}
_ACTIONS = {
    "verify": "Hold the order for a review",
    "block": "Block the order",
    "flag": "Let it pass and flag it",
}
_WHEN_DUE = {
    "wait": "Hold it until somebody has looked",
    "release": "Release it",
    "cancel": "Cancel it",
}
CHOICES: dict[str, dict[str, str]] = {
    "fraud_sensitivity_level": _SENSITIVITIES,
    "fraud_action": _ACTIONS,
    "fraud_review_when_due": _WHEN_DUE,
}
assert _WHEN_DUE.keys() == set(get_args(WhenDue))
assert _SENSITIVITIES.keys() == set(get_args(Sensitivity))
assert _ACTIONS.keys() == set(get_args(FraudAction))
# What people read for each switch and limit; a new one has its name until it is added here.
_LABELS = {
    "fraud_detection_enabled": "Check every order",
    "fraud_block_vpn": "Block VPN addresses",
    "fraud_block_proxy": "Block open proxies",
    "fraud_block_datacenter": "Block datacenter addresses",
    "fraud_block_tor": "Block Tor exits",
    "fraud_block_sanctioned_countries": "Block countries under embargo",
    "fraud_check_geo_mismatch": "Compare the countries of address and bill",
    "fraud_check_velocity": "Count orders within a window of time",
    "fraud_check_disposable_email": "Look for disposable e-mail addresses",
    "fraud_accounts_made_at_checkout": "Accounts are made by buying, so a new one says nothing",
    "fraud_velocity_limit_orders_per_ip": "Orders from one address within the window",
    "fraud_velocity_limit_orders_per_email": "Orders of one mailbox within the window",
    "fraud_velocity_limit_declines": "Declined payments of one account, device or address within the window",
    "fraud_velocity_window_minutes": "The window, in minutes",
    "fraud_review_due_hours": "Hours until a review is due",
    "fraud_review_daily_budget": "Allowed orders of a day to look at, the riskiest",
}


@dataclass(frozen=True, slots=True)
class FraudList:
    """A list that people add to and remove from."""

    title: str
    field: fraud_service.ListName
    label: str
    text: str
    example: str
    # The entry in the form in which it is stored; ValueError when it is none.
    parse: Callable[[str], str]
    error: str


LISTS = {
    "emails": FraudList(
        "Trusted e-mails",
        "fraud_whitelisted_emails",
        "E-mail",
        "Orders of these are always allowed.",
        "jun@example.com",
        inputs.email,
        "This is not an e-mail address.",
    ),
    "addresses": FraudList(
        "Trusted addresses",
        "fraud_whitelisted_ips",
        "IP address",
        "Orders from these are always allowed.",
        "203.0.113.9",
        identity.address,
        "This is not an IP address.",
    ),
    "countries": FraudList(
        "Blocked countries",
        "fraud_custom_blocked_countries",
        "Country code",
        "Orders from these, by address or bill, are always blocked.",
        "KP",
        inputs.country,
        "This is not a country code of two letters.",
    ),
}


async def show_settings(visit: Visit) -> Answer:
    """The settings; when the address holds others, what they would have changed."""
    async with visit.deps.db.read() as tx:
        stored = await settings_db.get(tx, SETTINGS, Policy)
        version = await settings_db.changed_at(tx, SETTINGS)
    sent = visit.form or (visit.query if "try" in visit.query else {})
    changes: dict[str, Any] = {}
    comparison = None
    if sent and not visit.errors:
        try:
            changes = _changes(sent)
            comparison = await fraud_reports.backtest(visit.deps, changes, WHAT_IF_DAYS)
        except InvalidFields as wrong:
            visit.errors = wrong.fields or {}
    policy = replace(stored, **changes)
    return {
        "policy": policy,
        "version": version,
        "labels_of": {name: _label(name) for name in asdict(policy)},
        "switches": _switches(policy),
        "limits": LIMITS,
        "sensitivities": _SENSITIVITIES,
        "actions": _ACTIONS,
        "when_due": _WHEN_DUE,
        "flagged_from": FLAGGED_FROM,
        "sent": sent,
        "changed": [name for name in changes if getattr(stored, name) != changes[name]],
        "comparison": comparison,
        "is_complete": comparison is None or comparison.checks < fraud_reports.MAX_CHECKS,
        "days": WHAT_IF_DAYS,
    }


async def save_settings(visit: Visit) -> Answer:
    changes = _changes(visit.form)
    async with visit.deps.db.write() as tx:
        before = await settings_db.get_for_update(tx, SETTINGS, Policy, visit.now)
        visit.check_unchanged(f"setting:{SETTINGS}", await settings_db.changed_at(tx, SETTINGS))
    await fraud_service.change_settings(visit.deps, changes)
    old = {name: getattr(before, name) for name in changes}
    return Done(url("/fraud/settings"), "The settings are saved.", f"setting:{SETTINGS}", old, changes)


def _switches(policy: Policy) -> list[str]:
    return [name for name, value in asdict(policy).items() if isinstance(value, bool)]


def _label(name: str) -> str:
    return _LABELS.get(name) or name.removeprefix("fraud_").replace("_", " ").capitalize()


def _changes(sent: Any) -> dict[str, Any]:
    """The settings that a form holds: a switch that is off is not sent."""
    errors: dict[str, list[str]] = {}
    changes: dict[str, Any] = {name: sent.get(name) == "yes" for name in _switches(Policy())}
    for name, options in CHOICES.items():
        changes[name] = sent.get(name)
        if changes[name] not in options:
            errors[name] = ["Choose one of these."]
    for name, (smallest, largest) in LIMITS.items():
        text = sent.get(name, "").strip()
        changes[name] = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
        if not smallest <= changes[name] <= largest:
            errors[name] = [f"This must be a number from {smallest} to {largest}."]
    if errors:
        raise InvalidFields(errors)
    return changes


async def show_lists(visit: Visit) -> Answer:
    async with visit.deps.db.read() as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        counts = await fraud_entries.counts(tx)
        own_lists = [(item, counts.get(item.id, 0)) for item in await fraud_entries.all_lists(tx)]
    term = visit.query.get("search", "").strip().lower()
    return {
        "term": term,
        "own_lists": own_lists,
        "kinds": {kind: kind.capitalize() for kind in get_args(ListKind)},
        "fraud_lists": [
            (name, fraud_list, *_shown(getattr(policy, fraud_list.field), term)) for name, fraud_list in LISTS.items()
        ],
        "sanctioned": sorted(SANCTIONED),
        "high_risk": sorted(HIGH_RISK),
    }


def _shown(entries: Iterable[str], term: str) -> tuple[list[str], int]:
    """The first entries that hold the term, and how many do."""
    matching = sorted(entry for entry in entries if term in entry.lower())
    return matching[:MAX_SHOWN], len(matching)


async def add_entry(visit: Visit) -> Answer:
    return await _change_list(visit, is_added=True)


async def remove_entry(visit: Visit) -> Answer:
    return await _change_list(visit, is_added=False)


async def _change_list(visit: Visit, *, is_added: bool) -> Done:
    name = visit.request.path_params["list"]
    fraud_list = LISTS.get(name)
    if fraud_list is None:
        raise NotFound("Page")
    try:
        entry = fraud_list.parse(visit.form.get(name, "").strip())
    except ValueError:
        raise invalid(name, fraud_list.error) from None
    await fraud_service.change_list(visit.deps, fraud_list.field, entry, is_added=is_added)
    message = f"{entry} is {'on' if is_added else 'no longer on'} the list of {fraud_list.title.lower()}."
    change: dict[str, Any] = {fraud_list.field: entry}
    before, after = (None, change) if is_added else (change, None)
    return Done(url("/fraud/lists"), message, f"setting:{SETTINGS}", before, after)


async def show_signals(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        counts = await fraud_truth.signal_counts(tx, visit.now)
        policy = await settings_db.get(tx, SETTINGS, Policy)
    reports = sorted(fraud_reports_views.signal_report(counts), key=lambda report: -report.fired)
    off = {name for name, signal in BY_NAME.items() if signal.setting and not getattr(policy, signal.setting)}
    return {
        "signals": [(report, BY_NAME[report.name]) for report in reports],
        "off": off,
        "changes": policy.fraud_signal_points,
    }


PAGES = (
    Page("GET", "/fraud/signals", "read_only", "Signals", show_signals, "fraud_signals.html", under="/fraud"),
    Page("GET", "/fraud/lists", "read_only", "Fraud lists", show_lists, "fraud_lists.html", under="/fraud"),
    Page(
        "POST",
        "/fraud/lists/{list}/add",
        "staff",
        "Add to a fraud list",
        add_entry,
        "fraud_lists.html",
        under="/fraud",
        again=show_lists,
    ),
    Page(
        "POST",
        "/fraud/lists/{list}/remove",
        "staff",
        "Remove from a fraud list",
        remove_entry,
        "fraud_lists.html",
        under="/fraud",
        again=show_lists,
    ),
    Page("GET", "/fraud/settings", "read_only", "Fraud settings", show_settings, "fraud_settings.html", under="/fraud"),
    Page(
        "POST",
        "/fraud/settings",
        "owner",
        "Change fraud settings",
        save_settings,
        "fraud_settings.html",
        under="/fraud",
        again=show_settings,
    ),
)
