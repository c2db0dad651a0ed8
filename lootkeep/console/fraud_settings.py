"""The settings and rules of fraud detection, with what they would change before they are saved, and its signals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, get_args

from msgspec.structs import asdict, replace

from lootkeep.console import forms
from lootkeep.console.formats import label
from lootkeep.console.forms import Field
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain import inputs as inputs_rules
from lootkeep.domain.fraud.comparison import Comparison, Tally
from lootkeep.domain.fraud.expressions import MAX_LENGTH
from lootkeep.domain.fraud.fact_names import FACTS
from lootkeep.domain.fraud.policy import LABELS, LIMITS, SETTINGS, FraudAction, Policy, Sensitivity, WhenDue
from lootkeep.domain.fraud.rule import MAX_NAME, POINTS, Rule, RuleAction, RuleMode
from lootkeep.domain.fraud.score import FLAGGED_FROM, THRESHOLDS
from lootkeep.domain.fraud.signals import BY_NAME
from lootkeep.kernel.clock import iso
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.services import (
    fraud as fraud_service,
    fraud_reports as fraud_reports_service,
    fraud_rules as fraud_rules_service,
)
from lootkeep.storage import settings as settings_db
from lootkeep.storage.fraud import lists as fraud_lists_db, truth as fraud_truth_db
from lootkeep.views import fraud_reports as fraud_reports_views

WHAT_IF_DAYS = 30
ACTIONS: dict[RuleAction, str] = {
    "flag": "Let it pass and flag it",
    "verify": "Hold the order for a review",
    "block": "Block the order",
    "allow": "Allow it, regardless of all signals",
    "points": "Add points to the score",
}
MODES: dict[RuleMode, str] = {"shadow": "Shadow: only count matches", "on": "On", "off": "Off"}
assert ACTIONS.keys() == set(get_args(RuleAction))
assert MODES.keys() == set(get_args(RuleMode))
_POINTS = "Only if the action adds points. Ten points double the odds."
_EXAMPLE = "For example: total > 100 and account_age < 1h and is_vpn"
RULE = (
    Field("name", "Name", forms.text(MAX_NAME), is_required=True),
    Field("expression", "Which orders", forms.text(MAX_LENGTH, "textarea"), _EXAMPLE, is_required=True),
    Field("action", "What to do", forms.choice(ACTIONS), default="flag"),
    Field("points", "Points", forms.whole(*POINTS), _POINTS, default="0"),
    Field("mode", "Mode", forms.choice(MODES), default="shadow"),
    Field("expires_at", "Ends on", forms.day()),
    Field("note", "Note", forms.text(1000)),
)
_AUDITED = ("name", "expression", "action", "points", "mode", "note", "expires_at")
_SENSITIVITIES = {name: f"{name.capitalize()}: from a score of {THRESHOLDS[name]}" for name in get_args(Sensitivity)}
_ACTIONS = {name: ACTIONS[name] for name in get_args(FraudAction)}
_WHEN_DUE = {"wait": "Keep it on hold", "release": "Release it", "cancel": "Cancel it"}
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
    changes: dict[str, Any] = {}

    async def compare() -> Comparison:
        changes.update(forms.read(visit, FORM))
        return await fraud_reports_service.backtest(visit.deps, changes, WHAT_IF_DAYS)

    async with visit.deps.db.read() as tx:
        stored = await settings_db.get(tx, SETTINGS, Policy)
        version = await settings_db.changed_at(tx, SETTINGS)
    comparison = await _try(visit, compare)
    return {
        "fields": FORM,
        "values": forms.written(visit, FORM, replace(stored, **changes)),
        "version": version,
        "changed": [name for name in changes if getattr(stored, name) != changes[name]],
        "comparison": comparison,
        "is_complete": comparison is None or comparison.checks < fraud_reports_service.MAX_CHECKS,
        "days": WHAT_IF_DAYS,
    }


async def _try(visit: Visit, compare: Callable[[], Awaitable[Comparison]]) -> Comparison | None:
    """What the form would have changed, which may be in the address; None without one, or when it is wrong."""
    if "try" in visit.query and not visit.form:
        visit.form = visit.query
    if not visit.form or visit.errors:
        return None
    try:
        return await compare()
    except InvalidFields as wrong:
        visit.errors = wrong.fields or {}
        return None


async def save_settings(visit: Visit) -> Answer:
    changes = forms.read(visit, FORM)
    before = await _lock(visit)
    await fraud_service.change_settings(visit.deps, changes)
    old = {name: getattr(before, name) for name in changes}
    return Done(url("/fraud/settings"), "The settings are saved.", f"setting:{SETTINGS}", old, changes)


async def _lock(visit: Visit) -> Policy:
    """The settings before the change, which the form must have shown."""
    async with visit.deps.db.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, visit.now)
        visit.check_unchanged(f"setting:{SETTINGS}", await settings_db.changed_at(tx, SETTINGS))
    return policy


async def show_rules(visit: Visit) -> Answer:
    """The rules and a form; when the address holds a rule, what it would have done."""
    rule_id = inputs_rules.integer(visit.form.get("id") or visit.query.get("id") or visit.query.get("edit", ""))

    async def compare() -> Comparison:
        terms = _terms(visit)
        tried = {name: terms[name] for name in ("expression", "action", "points")}
        return await fraud_reports_service.backtest(visit.deps, {}, WHAT_IF_DAYS, rule=tried | {"id": rule_id})

    async with visit.deps.db.read(slow=True) as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        version = await settings_db.changed_at(tx, SETTINGS)
        tallies = await fraud_truth_db.rule_tallies(tx, visit.now)
        names = [f"@{item.name}" for item in await fraud_lists_db.all_lists(tx)]
    edited = fraud_rules_service.find(policy, rule_id) if rule_id else None
    return {
        "rules": [(rule, tallies.get((rule.id, rule.revision), Tally())) for rule in policy.rules],
        "edited": edited,
        "version": version,
        "facts": FACTS,
        "lists_of_store": names,
        "comparison": await _try(visit, compare),
        "fields": RULE,
        "values": forms.written(visit, RULE, edited),
        "days": WHAT_IF_DAYS,
    }


async def save_rule(visit: Visit) -> Answer:
    terms, rule_id = _terms(visit), inputs_rules.integer(visit.form.get("id", ""))
    policy = await _lock(visit)
    before = fraud_rules_service.find(policy, rule_id) if rule_id else None
    if before:
        rule = await fraud_rules_service.change(visit.deps, before.id, terms, visit.user.id)
    else:
        rule = await fraud_rules_service.create(visit.deps, terms, visit.user.id)
    message = f"The rule “{rule.name}” is saved."
    return Done(url("/fraud/rules"), message, f"setting:{SETTINGS}", _audited(before), _audited(rule))


async def delete_rule(visit: Visit) -> Answer:
    rule = await fraud_rules_service.delete(visit.deps, visit.id)
    return Done(url("/fraud/rules"), f"The rule “{rule.name}” is deleted.", f"setting:{SETTINGS}", _audited(rule))


def _terms(visit: Visit) -> dict[str, Any]:
    terms = forms.read(visit, RULE)
    if terms["action"] == "points" and terms["points"] is None:
        raise invalid("points", "Enter a whole number.")
    return terms | {"points": terms["points"] if terms["action"] == "points" else 0}


def _audited(rule: Rule | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    values = asdict(rule) | {"expires_at": rule.expires_at and iso(rule.expires_at)}
    return {f"rule {rule.id}: {label(name).lower()}": values[name] for name in _AUDITED}


async def show_signals(visit: Visit) -> Answer:
    async with visit.deps.db.read(slow=True) as tx:
        counts = await fraud_truth_db.signal_counts(tx, visit.now)
        policy = await settings_db.get(tx, SETTINGS, Policy)
    reports = sorted(fraud_reports_views.signal_report(counts), key=lambda report: -report.fired)
    off = {name for name, signal in BY_NAME.items() if signal.setting and not getattr(policy, signal.setting)}
    return {
        "signals": [(report, BY_NAME[report.name]) for report in reports],
        "off": off,
        "changes": policy.fraud_signal_points,
    }


_DELETED = "The rule is deleted. What it did to past orders stays as it is."

PAGES = (
    Page("GET", "/fraud/signals", "fraud:read", "Signals", show_signals, "fraud_signals.html"),
    Page("GET", "/fraud/rules", "fraud:read", "Fraud rules", show_rules, "fraud_rules.html"),
    change("/fraud/rules", "settings:write", "Save a fraud rule", save_rule),
    change("/fraud/rules/{id}/delete", "settings:write", "Delete a fraud rule", delete_rule, confirm=_DELETED),
    Page("GET", "/fraud/settings", "fraud:read", "Fraud settings", show_settings, "fraud_settings.html"),
    change("/fraud/settings", "settings:write", "Change fraud settings", save_settings),
)
