"""Read-only reports on fraud detection: backtests of settings, and an explanation of a buyer."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud import email_addresses
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.comparison import Comparison
from lootkeep.domain.fraud.facts import History, OrderFacts
from lootkeep.domain.fraud.judgement import Explanation
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.rule import Rule
from lootkeep.domain.fraud.rules import lists_asked
from lootkeep.domain.fraud.score import is_whitelisted, judge, would_stop as stopping
from lootkeep.domain.fraud.signals.sentences import sentences
from lootkeep.domain.identity import domain_of
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.services import fraud_lists, fraud_rules
from lootkeep.storage import settings as settings_db
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import (
    check_lists as fraud_check_lists_db,
    history as fraud_history_db,
    limits as fraud_limits_db,
    lists as fraud_lists_db,
)
from lootkeep.storage.orders import rows as orders_db

# How many checks one backtest judges again, the newest first.
MAX_CHECKS = 20_000


async def backtest(deps: Deps, changes: dict[str, Any], days: int, *, rule: dict[str, Any] | None = None) -> Comparison:
    """Judges the stored checks of the last N days again, with these changes to the settings, or with this rule."""
    now = deps.clock.now()
    async with deps.db.read(slow=True) as tx:
        comparison = await _comparison(tx, changes, rule, now)
        position: tuple[Instant, int] = (Instant(now + 1), 0)
        while comparison.checks < MAX_CHECKS:
            batch = await fraud_check_lists_db.before(tx, *position, now - days * DAY)
            if not batch:
                break
            for check in batch:
                comparison.add(check)
            position = batch[-1].place
    return comparison


async def _comparison(
    tx: Transaction, changes: dict[str, Any], rule: dict[str, Any] | None, now: Instant
) -> Comparison:
    stored = await settings_db.get(tx, SETTINGS, Policy)
    # Both are judged with the lists, rules and outcomes of now, so only what is tried can make a difference.
    candidate, current, rule_id = replace(stored, **changes), stored, None
    if rule is not None:
        tried = await _tried(tx, candidate, rule, now)
        current, rule_id = replace(stored, rules=tuple(r for r in stored.rules if r.id != tried.id)), tried.id
        candidate = fraud_rules.with_rule(candidate, tried)
    names = {use.list for use in lists_asked(candidate.rules)}
    entries = await fraud_lists_db.entries_of(tx, names, now)
    return Comparison(candidate, now, entries, current=current, rule_id=rule_id)


async def _tried(tx: Transaction, policy: Policy, terms: dict[str, Any], now: Instant) -> Rule:
    """The rule as if it were on, in place of the rule with its id."""
    rule_id = terms.get("id")
    if rule_id is None:
        rule_id, name = policy.last_rule_id + 1, ""
    else:
        name = fraud_rules.find(policy, rule_id).name
    terms = terms | {"id": rule_id, "name": name, "mode": "on"}
    rule = Rule(**terms, updated_by=0, created_at=now, updated_at=now)
    await fraud_rules.check(tx, policy, rule)
    return rule


async def explain(deps: Deps, ip_address: str | None, email: str | None, player: str | None = None) -> Explanation:
    """As if an order came from this IP address and e-mail now, for this player."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        customer = await customers_db.ROWS.find_one(tx, email=email) if email else None
        buyer = Buyer(now, email, ip_address, customer_id=customer.id if customer else 0, player=player)
        (history,) = await fraud_history_db.gather(tx, policy, [buyer])
        ends = await fraud_limits_db.ends(tx, policy, buyer)
        facts = await fraud_lists.with_lists(tx, _facts(deps, buyer, customer, history), policy)
    if customer:
        ends["account_age"] = Instant(customer.created_at + DAY)
    verdict = judge(facts, policy)
    said = sentences(verdict.signals, facts, policy)
    return Explanation(verdict, said, ends, customer is not None, is_whitelisted(facts, policy))


async def would_stop(deps: Deps, customer: Customer) -> list[str]:
    """What would stop the next order of a customer, if it is like their latest."""
    now = deps.clock.now()
    async with deps.db.read() as tx:
        policy = await settings_db.get(tx, SETTINGS, Policy)
        last = await orders_db.latest_of(tx, customer.id)
        if last is None:
            return []
        player = last.player.trace if last.player else None
        buyer = Buyer(
            now,
            customer.email,
            last.ip_address,
            last.device_id,
            customer.id,
            customer_created_at=customer.created_at,
            currency=last.currency,
            instrument=last.payment_instrument,
            player=player,
        )
        (history,) = await fraud_history_db.gather(tx, policy, [buyer])
        traits = {"billing_country": last.billing_country, "user_agent": last.user_agent, "payment": last.payment}
        device = {"has_device": last.device_id is not None, "device": last.device_id}
        facts = replace(_facts(deps, buyer, customer, history), **traits, **device)
        facts = await fraud_lists.with_lists(tx, facts, policy)
    return stopping(judge(facts, policy))


def _facts(deps: Deps, buyer: Buyer, customer: Customer | None, history: History) -> OrderFacts:
    """An order with nothing known except who would place it, from where, and for whom."""
    email = buyer.email
    is_disposable = email is not None and deps.intelligence.is_disposable(domain_of(email))
    return OrderFacts(
        at=buyer.at,
        email=email or "",
        customer_id=customer.id if customer else None,
        ip_address=buyer.ip_address,
        player=buyer.player,
        customer_created_at=customer.created_at if customer else None,
        is_user_agent_asked=False,
        network=deps.intelligence.network(buyer.ip_address),
        mail=email_addresses.describe(email, is_disposable=is_disposable) if email else email_addresses.NONE,
        history=history,
    )
