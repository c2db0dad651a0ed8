"""The judgement of one order: the facts, the verdict, and the version of the settings that was used."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lootkeep.domain.checkout import Cart, PricedLine
from lootkeep.domain.customers import Customer
from lootkeep.domain.fraud import email_addresses
from lootkeep.domain.fraud.facts import History, NetworkFacts, OrderFacts
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.fraud.score import Verdict, judge
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths


class Judgement(msgspec.Struct, frozen=True):
    facts: OrderFacts
    verdict: Verdict
    policy: Policy
    policy_version: int


class Explanation(msgspec.Struct, frozen=True):
    """What counts against a buyer now, and until when."""

    verdict: Verdict
    # What each signal saw.
    facts: dict[str, str]
    ends: dict[str, Instant]
    is_known_customer: bool
    is_whitelisted: bool


def facts_of(
    cart: Cart,
    customer: Customer,
    lines: Sequence[PricedLine],
    at: Instant,
    *,
    network: NetworkFacts,
    is_disposable: bool,
    history: History,
) -> OrderFacts:
    return OrderFacts(
        at=at,
        email=customer.email,
        customer_id=customer.id,
        ip_address=cart.ip_address,
        amount=Hundredths(sum(line.total for line in lines)),
        quantity=sum(line.quantity for line in lines),
        customer_created_at=made_before(cart, customer, at),
        billing_country=cart.billing_country,
        user_agent=cart.user_agent,
        has_device=cart.device_id is not None,
        device=cart.device_id,
        player=cart.player.trace if cart.player else None,
        network=network,
        mail=email_addresses.describe(customer.email, is_disposable=is_disposable),
        payment=cart.payment,
        history=history,
    )


def made_before(cart: Cart, customer: Customer, at: Instant) -> Instant:
    """When the account was created: before its order, even if two clocks differ; old records may be wrong."""
    return min(customer.created_at, at) if cart.created_at is None else customer.created_at


def judgement(facts: OrderFacts, policy: Policy, version: int) -> Judgement:
    return Judgement(facts, judge(facts, policy), policy, version)
