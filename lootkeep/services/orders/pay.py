"""Paying an order."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain import held_payments as held_payments_rules, orders as orders_rules
from lootkeep.domain.fraud import second_judgement as second_judgement_rules
from lootkeep.domain.fraud.checks import FraudCheck
from lootkeep.domain.fraud.facts import UNKNOWN, Payment
from lootkeep.domain.fraud.score import Action
from lootkeep.domain.orders import OrderDetails
from lootkeep.kernel.clock import Instant
from lootkeep.services.orders import _details, _hold, _labels, _payment, _second_judgement
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.payments import events as payment_events_db

_BY_BLOCKED = "paid by a blocked customer, held for review"
_AFTER_PAYMENT = "paid, and held for review because of its payment"


class PaymentReport(msgspec.Struct, frozen=True):
    """What the checkout or the payment provider reports."""

    method: str | None
    transaction_id: str | None
    payment: Payment = UNKNOWN


async def pay(
    deps: Deps, order_id: int, method: str | None, transaction_id: str | None, payment: Payment = UNKNOWN
) -> OrderDetails:
    """Paying again with the same transaction stores at most facts that were not known: providers repeat calls.

    The money of a blocked customer, or of an order that looks like fraud now, is recorded, but a reviewer decides
    whether anything is handed over.
    """
    report = PaymentReport(method, transaction_id, payment)
    async with deps.db.write() as tx:
        details = await _details.load(tx, order_id)
        if payment == UNKNOWN and details.customer.status != "blocked":
            return await _pay(deps, tx, await _details.lock_loaded(tx, details), None, report)
        await _second_judgement.take_turn(tx, details, payment)
        # The checks before their order: the lock order of a review. Either may have changed meanwhile.
        checks = await fraud_checks_db.lock_of_order(tx, order_id)
        details = await _details.lock(tx, order_id)
        return await _pay(deps, tx, details, checks[-1] if checks else None, report)


async def _pay(
    deps: Deps, tx: Transaction, details: OrderDetails, check: FraudCheck | None, report: PaymentReport
) -> OrderDetails:
    now, order = deps.clock.now(), details.order
    if report.transaction_id and order.received_at is not None and order.transaction_id == report.transaction_id:
        return await _add_facts(deps, tx, details, check, report.payment, now)
    orders_rules.require(order, "pay")
    paid_with = order, now, report.method, report.transaction_id, now, report.payment
    await _second_judgement.remember(tx, details, report.payment, now)
    if details.customer.status == "blocked":
        on_hold = held_payments_rules.held(*paid_with)
        return await _hold.hold(tx, details, *await _hold.reopen(deps, tx, details, on_hold, check), _BY_BLOCKED)
    paid = orders_rules.paid(*paid_with)
    again = await _second_judgement.judge(deps, tx, details, check, report.payment, now) if check else None
    if check is None or again is None:
        return await _payment.record(deps, tx, details, paid)
    if second_judgement_rules.is_stopped(again.verdict):
        on_hold = held_payments_rules.held(*paid_with)
        stored = await _second_judgement.store(tx, check, on_hold, again, "verification_required")
        return await _hold.hold(tx, details, *stored, _AFTER_PAYMENT)
    paid, latest = await _second_judgement.store(tx, check, paid, again)
    return await _payment.record(deps, tx, replace(details, check=latest.summary), paid)


async def add_facts(deps: Deps, order_id: int, payment: Payment, **ids: str | None) -> OrderDetails:
    """What a provider reports about a payment that is recorded, with its own ids of it."""
    async with deps.db.write() as tx:
        checks = []
        if payment != UNKNOWN:
            await _second_judgement.take_turn(tx, await _details.load(tx, order_id), payment)
            checks = await fraud_checks_db.lock_of_order(tx, order_id)
        details = await _details.lock(tx, order_id)
        check = checks[-1] if checks else None
        return await _add_facts(deps, tx, details, check, payment, deps.clock.now(), **ids)


async def _add_facts(
    deps: Deps,
    tx: Transaction,
    details: OrderDetails,
    check: FraudCheck | None,
    payment: Payment,
    now: Instant,
    **ids: str | None,
) -> OrderDetails:
    """What is already stored stays. What was handed over stays too: a worse outcome flags the order."""
    await _second_judgement.remember(tx, details, payment, now)
    values = payment.columns | ids
    new = {name: value for name, value in values.items() if value and getattr(details.order, name) is None}
    after = replace(details.order, **new)
    again = await _second_judgement.judge(deps, tx, details, check, payment, now) if check else None
    if check and again:
        action: Action | None = "flagged" if second_judgement_rules.is_stopped(again.verdict) else None
        if details.order.payment_held_at is not None:
            # It still waits for its review, whatever the score is now.
            action = "verification_required"
        after, latest = await _second_judgement.store(tx, check, after, again, action)
        details = replace(details, check=latest.summary)
    if check and check.truth == "fraud" and "payment_instrument" in new:
        # Later orders with the card of a fraud are recognised by it.
        await _labels.settle(tx, replace(details, order=after), [check], now)
    if any(name in new for name in ids):
        await payment_events_db.rouse(tx, after, now)
    return replace(details, order=await orders_db.ROWS.save(tx, details.order, after))
