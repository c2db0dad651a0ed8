"""The settings of fraud detection with what they would change, and how right its signals are."""

from __future__ import annotations

from typing import Any, get_args

from msgspec.structs import asdict, replace

from lootkeep.console import forms
from lootkeep.console.forms import Field
from lootkeep.console.fraud_rules import ACTIONS
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.fraud.policy import LABELS, LIMITS, SETTINGS, FraudAction, Policy, Sensitivity, WhenDue
from lootkeep.domain.fraud.score import FLAGGED_FROM, THRESHOLDS
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.kernel.errors import InvalidFields
from lootkeep.services import fraud as fraud_service
from lootkeep.services import fraud_reports
from lootkeep.storage import fraud_truth
from lootkeep.storage import settings as settings_db
from lootkeep.views import fraud_reports as fraud_reports_views

WHAT_IF_DAYS = 30
_SENSITIVITIES = {name: f"{name.capitalize()}: from a score of {THRESHOLDS[name]}" for name in get_args(Sensitivity)}
_ACTIONS = {name: ACTIONS[name] for name in get_args(FraudAction)}
_WHEN_DUE = {
    "wait": "Hold it until somebody has looked",
    "release": "Release it",
    "cancel": "Cancel it",
}
assert _WHEN_DUE.keys() == set(get_args(WhenDue))


def _label(name: str) -> str:
    return LABELS.get(name) or name.removeprefix("fraud_").replace("_", " ").capitalize()


_FLAGGED = f"From a score of {FLAGGED_FROM} an order is flagged in any case."
FORM = (
    Field("fraud_action", "When the score is reached", forms.choice(_ACTIONS)),
    Field("fraud_sensitivity_level", "Sensitivity", forms.choice(_SENSITIVITIES), _FLAGGED),
    Field("fraud_review_when_due", "When nobody has reviewed a held order in time", forms.choice(_WHEN_DUE)),
    *(Field(name, _label(name), forms.switch()) for name, value in asdict(Policy()).items() if isinstance(value, bool)),
    *(Field(name, _label(name), forms.whole(*limits), is_required=True) for name, limits in LIMITS.items()),
)


async def show_settings(visit: Visit) -> Answer:
    """The settings; when the address holds others, what they would have changed."""
    async with visit.deps.db.read() as tx:
        stored = await settings_db.get(tx, SETTINGS, Policy)
        version = await settings_db.changed_at(tx, SETTINGS)
    if "try" in visit.query and not visit.form:
        visit.form = visit.query
    changes: dict[str, Any] = {}
    comparison = None
    if visit.form and not visit.errors:
        try:
            changes = forms.read(visit, FORM)
            comparison = await fraud_reports.backtest(visit.deps, changes, WHAT_IF_DAYS)
        except InvalidFields as wrong:
            visit.errors = wrong.fields or {}
    return {
        "fields": FORM,
        "values": forms.written(visit, FORM, replace(stored, **changes)),
        "version": version,
        "changed": [name for name in changes if getattr(stored, name) != changes[name]],
        "comparison": comparison,
        "is_complete": comparison is None or comparison.checks < fraud_reports.MAX_CHECKS,
        "days": WHAT_IF_DAYS,
    }


async def save_settings(visit: Visit) -> Answer:
    changes = forms.read(visit, FORM)
    async with visit.deps.db.write() as tx:
        before = await settings_db.get_for_update(tx, SETTINGS, Policy, visit.now)
        visit.check_unchanged(f"setting:{SETTINGS}", await settings_db.changed_at(tx, SETTINGS))
    await fraud_service.change_settings(visit.deps, changes)
    old = {name: getattr(before, name) for name in changes}
    return Done(url("/fraud/settings"), "The settings are saved.", f"setting:{SETTINGS}", old, changes)


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


_SETTINGS = ("fraud_settings.html", show_settings)

PAGES = (
    Page("GET", "/fraud/signals", "read_only", "Signals", show_signals, "fraud_signals.html"),
    Page("GET", "/fraud/settings", "read_only", "Fraud settings", show_settings, "fraud_settings.html"),
    change("/fraud/settings", "Change fraud settings", save_settings, _SETTINGS, role="owner"),
)
