"""A judgement as the check that is stored with its order."""

from __future__ import annotations

from typing import Any

import msgspec

from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.flags import flags
from lootkeep.domain.fraud.judgement import Judgement
from lootkeep.domain.fraud.score import ENGINE_VERSION, due_at, expected_loss
from lootkeep.domain.orders import Order

_SET_LATER = (
    *("reviewed_by", "reviewed_at", "review_outcome", "review_notes"),
    *("truth", "truth_source", "truth_at", "owner_id"),
)


def with_judgement(order: Order, judgement: Judgement) -> Order:
    """With what lists and reports show of its check."""
    return msgspec.structs.replace(
        order, risk_level=judgement.verdict.risk_level, ip_country=judgement.facts.network.country
    )


def check_of(order: Order, judgement: Judgement) -> FraudCheck:
    """Its id is assigned when it is stored."""
    facts, verdict = judgement.facts, judgement.verdict
    network = facts.network
    undecided: dict[str, Any] = dict.fromkeys(_SET_LATER)
    return FraudCheck(
        id=0,
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
        **undecided,
        facts=msgspec.json.encode(facts).decode(),
        policy_version=judgement.policy_version,
        engine_version=ENGINE_VERSION,
        rule_hits=msgspec.json.encode(verdict.rules).decode(),
        due_at=due_at(verdict.action_taken, judgement.policy, facts.at),
        expected_loss=expected_loss(verdict.risk_score, order.total),
        created_at=facts.at,
        is_latest=True,
    )
