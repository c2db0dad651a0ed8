"""Operations on the store's own rules: each change is a new version of the settings, which checks refer to."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.fraud import expressions
from lootkeep.domain.fraud.policy import SETTINGS, Policy, with_new_rule
from lootkeep.domain.fraud.rule import Rule
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import NotFound, invalid
from lootkeep.services import fraud_policy
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import lists as fraud_lists_db

_RULE = "Fraud rule"


async def create(deps: Deps, terms: dict[str, Any], author: int) -> Rule:
    now = deps.clock.now()
    _require_future(terms.get("expires_at"), now)
    async with deps.db.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, now)
        after = with_new_rule(policy, terms, author, now)
        await check(tx, policy, after.rules[-1])
        await fraud_policy.save(tx, policy, after, now)
    return after.rules[-1]


async def change(deps: Deps, rule_id: int, changes: dict[str, Any], author: int) -> Rule:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, now)
        before = find(policy, rule_id)
        rule = changed(before, changes, author, now)
        if rule.expires_at != before.expires_at:
            _require_future(rule.expires_at, now)
        if rule != before:
            await check(tx, policy, rule)
            await fraud_policy.save(tx, policy, with_rule(policy, rule), now)
    return rule


async def delete(deps: Deps, rule_id: int) -> Rule:
    now = deps.clock.now()
    async with deps.db.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, now)
        rule = find(policy, rule_id)
        rest = tuple(other for other in policy.rules if other.id != rule_id)
        await fraud_policy.save(tx, policy, replace(policy, rules=rest), now)
    return rule


def find(policy: Policy, rule_id: int) -> Rule:
    for rule in policy.rules:
        if rule.id == rule_id:
            return rule
    raise NotFound(_RULE)


def changed(before: Rule, changes: dict[str, Any], author: int, now: Instant) -> Rule:
    """The rule with these changes; the same rule if nothing differs."""
    rule = replace(before, **changes)
    if rule == before:
        return before
    revision = before.revision + (rule.expression != before.expression)
    return replace(rule, revision=revision, updated_by=author, updated_at=now)


def with_rule(policy: Policy, rule: Rule) -> Policy:
    """The rule in place of the one with its id, or after all others."""
    others = [other for other in policy.rules if other.id != rule.id]
    return replace(policy, rules=tuple(sorted([*others, rule], key=lambda other: other.id)))


def _require_future(expires_at: Instant | None, now: Instant) -> None:
    if expires_at is not None and expires_at <= now:
        raise invalid("expires_at", "The expires at field must be in the future.")


async def check(tx: Transaction, policy: Policy, rule: Rule) -> None:
    """Rejects an invalid rule."""
    if any(other.name.casefold() == rule.name.casefold() and other.id != rule.id for other in policy.rules):
        raise invalid("name", "The name field is the name of another rule.")
    if (rule.action == "points") != (rule.points != 0):
        raise invalid("points", "The points field is required with the action points, and only with it.")
    kinds = {item.name: item.kind for item in await fraud_lists_db.all_lists(tx)}
    try:
        expressions.check_lists(expressions.parse(rule.expression), kinds)
    except expressions.ExpressionError as error:
        raise invalid("expression", f"The expression field {error}.") from None
