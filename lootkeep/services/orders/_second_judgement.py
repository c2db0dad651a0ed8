"""Judges an order again when its payment brings new facts, and stores it as a check of its own."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import identity as identity_rules
from lootkeep.domain.fraud import second_judgement as second_judgement_rules
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.comparison import facts_of
from lootkeep.domain.fraud.facts import OrderFacts, Payment
from lootkeep.domain.fraud.judgement import Judgement, judgement
from lootkeep.domain.fraud.policy import SETTINGS, Policy
from lootkeep.domain.fraud.recording import check_of, with_judgement
from lootkeep.domain.fraud.score import Action
from lootkeep.domain.identity import Trace
from lootkeep.domain.orders import Order, OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services import fraud_lists
from lootkeep.storage import settings as settings_db
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.events import outbox as outbox_db
from lootkeep.storage.fraud import checks as fraud_checks_db, history as fraud_history_db, identity as identity_db
from lootkeep.storage.fraud.identity import SeenCustomer
from lootkeep.views import fraud_events as fraud_events_views


async def take_turn(tx: Transaction, details: OrderDetails, payment: Payment) -> None:
    """Waits until no other order that shares a trace with this one is being judged."""
    await identity_db.take_turn(tx, details.customer.id, _traces(details, payment))


async def remember(tx: Transaction, details: OrderDetails, payment: Payment, now: Instant) -> None:
    """The instrument of a payment links its customer to others, whether the order is judged again or not."""
    if payment.instrument and payment.instrument != details.order.payment_instrument:
        await identity_db.remember(tx, [SeenCustomer(details.customer.id, _traces(details, payment), now)])


async def judge(
    deps: Deps, tx: Transaction, details: OrderDetails, first: FraudCheck, reported: Payment, now: Instant
) -> Judgement | None:
    """None if the payment says nothing new, the order is known to be fraud, or the settings do not ask for it."""
    version, policy = await settings_db.current(tx, SETTINGS, Policy)
    first_facts = facts_of(first)
    payment = second_judgement_rules.payment_with(first_facts.payment, reported)
    is_asked = policy.fraud_detection_enabled and policy.fraud_judge_at_payment
    if payment is None or first.truth == "fraud" or not is_asked:
        return None
    facts = await _facts(deps, tx, details, first_facts, payment, policy, now)
    again = judgement(facts, policy, version)
    return None if second_judgement_rules.is_approved(first, again.verdict) else again


async def store(
    tx: Transaction, first: FraudCheck, order: Order, again: Judgement, action: Action | None = None
) -> tuple[Order, FraudCheck]:
    """The check that counts from now on, with the action that was taken, and the order with its risk level.

    It stays the case of the same reviewer.
    """
    if action:
        again = replace(again, verdict=replace(again.verdict, action_taken=action))
    order = with_judgement(order, again)
    await fraud_checks_db.ROWS.save(tx, first, replace(first, is_latest=False))
    check = await fraud_checks_db.ROWS.add(tx, replace(check_of(order, again), owner_id=first.owner_id))
    if check.action_taken == "flagged" and first.action_taken == "allowed":
        event = fraud_events_views.judged(order, check.summary)
        await outbox_db.append(tx, fraud_events_views.EVENTS["flagged"], event, again.facts.at)
    return order, check


def _traces(details: OrderDetails, payment: Payment) -> list[Trace]:
    order = details.order
    player = order.player.trace if order.player else None
    return identity_rules.traces(details.customer.email, order.ip_address, order.device_id, payment.instrument, player)


async def _facts(
    deps: Deps,
    tx: Transaction,
    details: OrderDetails,
    first_facts: OrderFacts,
    payment: Payment,
    policy: Policy,
    now: Instant,
) -> OrderFacts:
    order, customer, payer = details.order, details.customer, payment.payer_email
    buyer = Buyer(
        now,
        customer.email,
        order.ip_address,
        order.device_id,
        customer.id,
        customer_created_at=first_facts.customer_created_at,
        currency=order.currency,
        instrument=payment.instrument,
        player=first_facts.player,
    )
    (history,) = await fraud_history_db.gather(tx, policy, [buyer])
    if payer and await fraud_history_db.is_fraud_mailbox(tx, identity_rules.mailbox(payer)):
        history = replace(history, mailbox_fraud=True)
    is_disposable = payer is not None and deps.intelligence.is_disposable(identity_rules.domain_of(payer))
    facts = second_judgement_rules.facts_with(first_facts, payment, history, now, is_payer_disposable=is_disposable)
    return await fraud_lists.with_lists(tx, facts, policy)
