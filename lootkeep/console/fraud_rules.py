"""The store's own fraud rules: what each fitted, and what a new one would have done before it is saved."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from lootkeep.console import forms
from lootkeep.console.forms import Field
from lootkeep.console.labels import label
from lootkeep.console.page import Answer, Done, Page, Visit, change, url
from lootkeep.domain.fraud.comparison import Comparison, Tally
from lootkeep.domain.fraud.expressions import MAX_LENGTH
from lootkeep.domain.fraud.fact_names import FACTS
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.rule import MAX_NAME, POINTS, Rule, RuleAction, RuleMode
from lootkeep.kernel.errors import InvalidFields, invalid
from lootkeep.services import fraud_reports
from lootkeep.services import fraud_rules as fraud_rules_service
from lootkeep.storage import fraud_entries, fraud_truth
from lootkeep.storage import settings as settings_db

WHAT_IF_DAYS = 30
ACTIONS: dict[RuleAction, str] = {
    "flag": "Let it pass and flag it",
    "verify": "Hold the order for a review",
    "block": "Block the order",
    "allow": "Allow it, whatever else counts against it",
    "points": "Add points to the score",
}
MODES: dict[RuleMode, str] = {
    "shadow": "Shadow: only count what it fits",
    "on": "On",
    "off": "Off",
}
assert ACTIONS.keys() == set(get_args(RuleAction))
assert MODES.keys() == set(get_args(RuleMode))
_POINTS = "Only when points are added: ten double the odds."
_EXAMPLE = "For example: total > 100 and account_age < 1h and is_vpn"
FORM = (
    Field("name", "Name", forms.text(MAX_NAME), is_required=True),
    Field("expression", "Which orders", forms.text(MAX_LENGTH, "textarea"), _EXAMPLE, is_required=True),
    Field("action", "What to do", forms.choice(ACTIONS), default="flag"),
    Field("points", "Points", forms.whole(*POINTS), _POINTS, default="0"),
    Field("mode", "Mode", forms.choice(MODES), default="shadow"),
    Field("expires_at", "Ends on", forms.day()),
    Field("note", "Note", forms.text(1000)),
)
_AUDITED = ("name", "expression", "action", "points", "mode", "note", "expires_at")


async def show_rules(visit: Visit) -> Answer:
    """The rules and a form; when the address holds a rule, what it would have done."""
    if "try" in visit.query and not visit.form:
        visit.form = visit.query
    async with visit.deps.db.read(slow=True) as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        version = await settings_db.changed_at(tx, SETTINGS)
        tallies = await fraud_truth.rule_tallies(tx, visit.now)
        names = [f"@{item.name}" for item in await fraud_entries.all_lists(tx)]
    rule_id = _id(visit.form.get("id") or visit.query.get("edit", ""))
    edited = fraud_rules_service.find(policy, rule_id) if rule_id else None
    comparison = await _try(visit, rule_id) if visit.form and not visit.errors else None
    return {
        "rules": [(rule, tallies.get((rule.id, rule.revision), Tally())) for rule in policy.rules],
        "edited": edited,
        "version": version,
        "facts": FACTS,
        "lists_of_store": names,
        "fields": FORM,
        "values": forms.written(visit, FORM, edited),
        "comparison": comparison,
        "days": WHAT_IF_DAYS,
    }


async def _try(visit: Visit, rule_id: int | None) -> Comparison | None:
    try:
        terms = _terms(visit)
        tried = {name: terms[name] for name in ("expression", "action", "points")}
        return await fraud_reports.backtest(visit.deps, {}, WHAT_IF_DAYS, rule=tried | {"id": rule_id})
    except InvalidFields as wrong:
        visit.errors = wrong.fields or {}
        return None


async def save_rule(visit: Visit) -> Answer:
    terms, rule_id = _terms(visit), _id(visit.form.get("id", ""))
    async with visit.deps.db.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, visit.now)
        visit.check_unchanged(f"setting:{SETTINGS}", await settings_db.changed_at(tx, SETTINGS))
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
    terms = forms.read(visit, FORM)
    if terms["action"] == "points" and terms["points"] is None:
        raise invalid("points", "Enter a whole number.")
    return terms | {"points": terms["points"] if terms["action"] == "points" else 0}


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _audited(rule: Rule | None) -> dict[str, Any] | None:
    if rule is None:
        return None
    values = msgspec.structs.asdict(rule)
    return {f"rule {rule.id}: {label(name).lower()}": values[name] for name in _AUDITED}


_RULES = ("fraud_rules.html", show_rules)
_DELETED = "The rule is deleted. What it did to past orders stays as it is."

PAGES = (
    Page("GET", "/fraud/rules", "read_only", "Fraud rules", show_rules, "fraud_rules.html"),
    change("/fraud/rules", "Save a fraud rule", save_rule, _RULES, role="owner"),
    change("/fraud/rules/{id}/delete", "Delete a fraud rule", delete_rule, confirm=_DELETED, role="owner"),
)
