"""Operations on the store's own lists, and blocking everything known about a buyer."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.expressions import parse
from lootkeep.domain.fraud.fact_names import ListKind
from lootkeep.domain.fraud.facts import OrderFacts
from lootkeep.domain.fraud.lists import EXAMPLES, LIST_NAME, MAX_LISTS, FraudList, entry_value, memberships, sought
from lootkeep.domain.fraud.policy import SETTINGS, Policy, with_new_rule
from lootkeep.domain.fraud.rules import lists_asked
from lootkeep.domain.orders import order_number
from lootkeep.kernel.clock import DAY, Instant
from lootkeep.kernel.errors import Conflict, InvalidFields, Unprocessable, existing, invalid
from lootkeep.services import fraud_policy
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import lists as fraud_lists_db
from lootkeep.storage.fraud.history import FOREVER
from lootkeep.storage.orders import rows as orders_db

BlockKind = Literal["customer", "email", "device", "ip", "instrument", "player"]

# The lists that blocking a buyer fills, and the rule that acts on them; the owner may change or delete it.
BLOCKED: dict[BlockKind, str] = {
    "customer": "blocked_customers",
    "email": "blocked_emails",
    "device": "blocked_devices",
    "ip": "blocked_ips",
    "instrument": "blocked_instruments",
    "player": "blocked_players",
}
BLOCKING_RULE = "Blocked buyers"
# An IP address soon belongs to someone else.
_IP_BLOCKED_FOR = 30 * DAY
# How a payment provider's fingerprint is stored.
_HASH = re.compile("[0-9a-f]{64}")
_NAME = re.compile(LIST_NAME)
_LIST = "Fraud list"


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


async def create(deps: Deps, name: str, kind: ListKind, note: str | None) -> FraudList:
    async with deps.db.write() as tx:
        if len(await fraud_lists_db.all_lists(tx)) >= MAX_LISTS:
            raise Unprocessable("too_many_lists", f"A store can have {MAX_LISTS} lists.")
        fraud_list = await fraud_lists_db.LISTS.add_if_free(tx, FraudList(0, name, kind, note, deps.clock.now()))
    if fraud_list is None:
        raise invalid("name", "The name field is the name of another list.")
    return fraud_list


async def delete(deps: Deps, list_id: int) -> FraudList:
    """Deletes the list with its entries; not while a rule uses it."""
    async with deps.db.write() as tx:
        policy = await settings_db.get_for_update(tx, SETTINGS, Policy, deps.clock.now())
        fraud_list = existing(await fraud_lists_db.LISTS.get(tx, list_id), _LIST)
        for rule in policy.rules:
            if any(use.list == fraud_list.name for use in parse(rule.expression).lists):
                raise Conflict("list_in_use", f"The rule “{rule.name}” uses this list.")
        await fraud_lists_db.remove_list(tx, fraud_list)
    return fraud_list


async def add_entries(
    deps: Deps, list_id: int, values: Sequence[str], reason: str | None, expires_at: Instant | None, author: int
) -> FraudList:
    """An existing entry gets the new reason and expiry."""
    now = deps.clock.now()
    if expires_at is not None and expires_at <= now:
        raise invalid("expires_at", "The expires at field must be in the future.")
    async with deps.db.write() as tx:
        fraud_list = existing(await fraud_lists_db.LISTS.get(tx, list_id), _LIST)
        stored = _stored(deps, fraud_list.kind, values)
        await fraud_lists_db.put(tx, list_id, stored, reason, author, expires_at, now)
    return fraud_list


async def remove_entry(deps: Deps, list_id: int, value: str) -> str:
    """Removing a missing entry changes nothing."""
    async with deps.db.write() as tx:
        fraud_list = existing(await fraud_lists_db.LISTS.get(tx, list_id), _LIST)
        (stored,) = _stored(deps, fraud_list.kind, [value])
        await fraud_lists_db.remove(tx, list_id, stored)
    return stored


def _stored(deps: Deps, kind: ListKind, values: Sequence[str]) -> list[str]:
    """The entries as they are stored, or all invalid ones."""
    stored: list[str] = []
    errors: dict[str, list[str]] = {}
    for index, value in enumerate(values):
        try:
            text = entry_value(kind, value)
        except ValueError:
            errors[f"values.{index}"] = [f"The values.{index} field {EXAMPLES[kind]}."]
        else:
            if kind == "instrument" and not _HASH.fullmatch(text):
                text = deps.vault.fingerprint(text.encode(), "payment instrument")
            stored.append(text)
    if errors:
        raise InvalidFields(errors)
    return stored


async def with_lists(tx: Transaction, facts: OrderFacts, policy: Policy) -> OrderFacts:
    """With whether the order is, at its time, on each list that a rule uses."""
    uses = lists_asked(policy.rules)
    if not uses:
        return facts
    sought_for = sought(uses, facts)
    values = {value for values in sought_for.values() for value in values}
    entries = await fraud_lists_db.find(tx, {use.list for use in uses}, values, facts.at) if values else set()
    return replace(facts, lists=memberships(uses, sought_for, entries))


async def block_buyers(
    tx: Transaction, checks: Sequence[FraudCheck], kinds: Collection[BlockKind], author: int, now: Instant
) -> None:
    """Adds what is known about the buyers to the block lists, and makes sure that a rule uses them."""
    # Locked first, as when a list is deleted: in the other order the two would deadlock.
    policy = await settings_db.get_for_update(tx, SETTINGS, Policy, now)
    buyers = [(await _traces_of(tx, check), f"Review of {order_number(check.order_id)}") for check in checks]
    for kind, name in BLOCKED.items():
        fraud_list = await fraud_lists_db.LISTS.find_one(tx, name=name)
        fraud_list = fraud_list or await fraud_lists_db.LISTS.add_if_free(
            tx, FraudList(0, name, kind, "Filled by reviews.", now)
        )
        if fraud_list is None or fraud_list.kind != kind:
            raise Unprocessable("list_of_another_kind", f"There is a list named {name} that is not of the kind {kind}.")
        expires_at = Instant(now + _IP_BLOCKED_FOR) if kind == "ip" else None
        reasons = {value: reason for traces, reason in buyers if kind in kinds and (value := traces[kind])}
        # An entry that lasts as long stays as it is.
        lasting = await fraud_lists_db.find(tx, {name}, reasons, expires_at or FOREVER)
        for value in sorted(value for value in reasons if (name, value) not in lasting):
            await fraud_lists_db.put(tx, fraud_list.id, [value], reasons[value], author, expires_at, now)
    if all(rule.name != BLOCKING_RULE for rule in policy.rules):
        expression = " or ".join(f"{kind} in @{name}" for kind, name in BLOCKED.items())
        terms = {"name": BLOCKING_RULE, "expression": expression, "action": "block", "mode": "on"}
        await fraud_policy.save(tx, policy, with_new_rule(policy, terms, author, now), now)


async def _traces_of(tx: Transaction, check: FraudCheck) -> dict[BlockKind, str | None]:
    order = existing(await orders_db.ROWS.get(tx, check.order_id), "Order")
    return {
        "customer": str(check.customer_id),
        "email": identity_rules.mailbox(check.email),
        "device": order.device_id,
        "ip": check.ip_address,
        "instrument": facts_of(check).payment.instrument,
        "player": order.player.trace if order.player else None,
    }
