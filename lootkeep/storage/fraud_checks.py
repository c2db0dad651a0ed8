"""Fraud checks: added with their order, reviewed, and judged again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.dialects import postgresql

from lootkeep.domain.disputes import Truth
from lootkeep.domain.fraud.checks import CheckDetail, FraudCheck, Review
from lootkeep.domain.fraud.flags import flags
from lootkeep.domain.fraud.judgement import Judgement
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.review import ReviewedAs
from lootkeep.domain.fraud.score import ENGINE_VERSION, due_at, expected_loss
from lootkeep.domain.orders import Order, OrderCheck
from lootkeep.kernel.clock import Instant
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import customers, fraud_checks, fraud_policies, fraud_reviews, orders

_CHECK = [fraud_checks.c[name] for name in FraudCheck.__struct_fields__]
_REVIEW = [fraud_reviews.c[name] for name in Review.__struct_fields__]
_THIS = fraud_checks.c.id == bindparam("check")
_SHORT = [fraud_checks.c[name] for name in OrderCheck.__struct_fields__]

_ADD = Query(
    insert(fraud_checks).values({name: bindparam(name) for name in FraudCheck.__struct_fields__ if name != "id"})
)
_OF_ORDER = Query(select(*_SHORT).where(fraud_checks.c.order_id == bindparam("order")), OrderCheck)
# Uses the index of orders: checks have no index by customer.
_OF_CUSTOMER = Query(
    select(*_CHECK)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(orders.c.customer_id == bindparam("customer"))
    .order_by(orders.c.created_at.desc(), orders.c.id.desc())
    .limit(bindparam("size")),
    FraudCheck,
)
_LOCK = Query(select(*_CHECK).where(_THIS).with_for_update(), FraudCheck)
_LOCK_OF_ORDER = Query(
    select(*_CHECK).where(fraud_checks.c.order_id == bindparam("order")).with_for_update(), FraudCheck
)
_SET_TRUTH = Query(
    update(fraud_checks)
    .where(_THIS)
    .values(truth=bindparam("outcome"), truth_source=bindparam("source"), truth_at=bindparam("known_at"))
)
_ASSIGN = Query(update(fraud_checks).where(_THIS).values(owner_id=bindparam("owner"), due_at=bindparam("due")))
_DETAIL = Query(
    select(
        *_CHECK,
        customers.c.name.label("customer_name"),
        customers.c.email.label("customer_email"),
        orders.c.status.label("order_status"),
        orders.c.total.label("order_total"),
    )
    .join(customers, customers.c.id == fraud_checks.c.customer_id)
    .join(orders, orders.c.id == fraud_checks.c.order_id)
    .where(_THIS),
    CheckDetail,
)
_SET_REVIEW = Query(
    update(fraud_checks)
    .where(_THIS)
    .values(
        is_reviewed=True,
        review_outcome=bindparam("outcome"),
        review_notes=bindparam("notes"),
        reviewed_by=bindparam("reviewer"),
        reviewed_at=bindparam("now"),
    )
    .returning(*_CHECK),
    FraudCheck,
)
# Into the review queue, until someone decides: no due time ends it.
_REOPEN = Query(
    update(fraud_checks)
    .where(_THIS)
    .values(
        action_taken="verification_required",
        is_reviewed=False,
        due_at=None,
        **dict.fromkeys(("review_outcome", "review_notes", "reviewed_by", "reviewed_at")),
    )
    .returning(*_CHECK),
    FraudCheck,
)
_ADD_REVIEW = Query(
    insert(fraud_reviews).values(
        check_id=bindparam("check"),
        outcome=bindparam("outcome"),
        notes=bindparam("notes"),
        reviewed_by=bindparam("reviewer"),
        created_at=bindparam("now"),
    )
)
_REVIEWS = Query(
    select(*_REVIEW).where(fraud_reviews.c.check_id == bindparam("check")).order_by(fraud_reviews.c.id), Review
)
_ADD_POLICY = Query(
    postgresql.insert(fraud_policies).values(
        version=bindparam("version"), document=bindparam("document"), created_at=bindparam("now")
    )
)
_POLICY = Query(select(fraud_policies.c.document).where(fraud_policies.c.version == bindparam("version")))


async def add(tx: Transaction, judged: Iterable[tuple[Order, Judgement]]) -> list[OrderCheck]:
    """Stores the facts of orders and their verdicts."""
    rows = [_values(order, judgement) for order, judgement in judged]
    added = []
    for row, check_id in zip(rows, await tx.insert(_ADD, rows), strict=True):
        check = OrderCheck(check_id, **{name: row[name] for name in OrderCheck.__struct_fields__ if name != "id"})
        tx.totals.count("fraud checks", None, check)
        added.append(check)
    return added


def _values(order: Order, judgement: Judgement) -> dict[str, Any]:
    facts, verdict = judgement.facts, judgement.verdict
    network = facts.network
    return dict(
        order_id=order.id,
        customer_id=order.customer_id,
        ip_address=facts.ip_address,
        email=facts.email,
        user_agent=facts.user_agent,
        risk_score=verdict.risk_score,
        risk_level=verdict.risk_level,
        action_taken=verdict.action_taken,
        signals=msgspec.json.encode(verdict.signals).decode(),
        detected_country=network.country,
        billing_country=facts.billing_country,
        detected_city=network.city,
        asn_name=network.asn_name,
        asn_number=network.asn_number,
        is_vpn=network.is_vpn,
        is_proxy=network.is_proxy,
        is_datacenter=network.is_datacenter,
        is_tor=network.is_tor,
        **msgspec.structs.asdict(flags(facts, judgement.policy)),
        is_reviewed=False,
        reviewed_by=None,
        reviewed_at=None,
        review_outcome=None,
        review_notes=None,
        facts=msgspec.json.encode(facts).decode(),
        policy_version=judgement.policy_version,
        engine_version=ENGINE_VERSION,
        rule_hits=msgspec.json.encode(verdict.rules).decode(),
        truth=None,
        truth_source=None,
        truth_at=None,
        owner_id=None,
        due_at=due_at(verdict.action_taken, judgement.policy, facts.at),
        expected_loss=expected_loss(verdict.risk_score, order.total),
        created_at=facts.at,
    )


async def of_order(tx: Transaction, order_id: int) -> OrderCheck | None:
    return await tx.one(_OF_ORDER, order=order_id)


async def of_customer(tx: Transaction, customer_id: int, size: int) -> list[FraudCheck]:
    """The newest first."""
    return await tx.all(_OF_CUSTOMER, customer=customer_id, size=size)


async def get(tx: Transaction, check_id: int) -> CheckDetail | None:
    return await tx.one(_DETAIL, check=check_id)


async def get_for_update(tx: Transaction, check_id: int) -> FraudCheck | None:
    return await tx.one(_LOCK, check=check_id)


async def assign(tx: Transaction, check: FraudCheck, owner_id: int | None, due_at: Instant | None) -> FraudCheck:
    await tx.run(_ASSIGN, check=check.id, owner=owner_id, due=due_at)
    return replace(check, owner_id=owner_id, due_at=due_at)


async def lock_of_order(tx: Transaction, order_id: int) -> FraudCheck | None:
    return await tx.one(_LOCK_OF_ORDER, order=order_id)


async def set_truth(tx: Transaction, check: FraudCheck, truth: Truth | None) -> FraudCheck:
    outcome, source, at = (truth.outcome, truth.source, truth.at) if truth else (None, None, None)
    if (outcome, source, at) != (check.truth, check.truth_source, check.truth_at):
        await tx.run(_SET_TRUTH, check=check.id, outcome=outcome, source=source, known_at=at)
    return replace(check, truth=outcome, truth_source=source, truth_at=at)


async def review(
    tx: Transaction, before: FraudCheck, outcome: ReviewedAs, notes: str | None, reviewer: int, now: Instant
) -> FraudCheck:
    """The last review counts; all are stored."""
    values = {"check": before.id, "outcome": outcome, "notes": notes, "reviewer": reviewer, "now": now}
    await tx.run(_ADD_REVIEW, **values)
    (after,) = await tx.all(_SET_REVIEW, **values)
    tx.totals.count("fraud checks", before, after)
    return after


async def reopen(tx: Transaction, before: FraudCheck) -> FraudCheck:
    """The check as one that waits for a review; earlier reviews stay in its history."""
    (after,) = await tx.all(_REOPEN, check=before.id)
    tx.totals.count("fraud checks", before, after)
    return after


async def reviews_of(tx: Transaction, check_id: int) -> list[Review]:
    return await tx.all(_REVIEWS, check=check_id)


async def store_policy(tx: Transaction, version: int, policy: Policy, now: Instant) -> None:
    """Stores the settings with their version, so their checks can be reproduced."""
    await tx.run(_ADD_POLICY, version=version, document=msgspec.json.encode(policy).decode(), now=now)


async def policy_of(tx: Transaction, version: int) -> Policy:
    """The settings of this version; version 0 is that of a new store."""
    row = await tx.one(_POLICY, version=version)
    return msgspec.json.decode(row[0], type=Policy) if row else Policy()
