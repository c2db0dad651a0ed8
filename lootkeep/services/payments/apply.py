"""Applies events of providers to orders, by the operations that the store has."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace as with_db

import structlog
from msgspec.structs import replace

from lootkeep.deps import Deps
from lootkeep.domain.disputes import DisputeKind
from lootkeep.domain.fraud.facts import UNKNOWN, Payment
from lootkeep.domain.orders import Order
from lootkeep.domain.payments import events as events_rules
from lootkeep.domain.payments.events import Outcome, PaymentEvent
from lootkeep.domain.payments.reports import Operation, Report
from lootkeep.domain.payments.sources import PROVIDER_NAMES, PaymentSource, Provider
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.errors import AppError, Unavailable, existing, invalid
from lootkeep.kernel.money import Hundredths
from lootkeep.kernel.search import order_id_in
from lootkeep.services import orders
from lootkeep.services.payments.inbox import report_of
from lootkeep.storage import alerts as alerts_db
from lootkeep.storage.engine.database import JoinedDatabase, Transaction
from lootkeep.storage.fraud import checks as fraud_checks_db
from lootkeep.storage.orders import rows as orders_db
from lootkeep.storage.payments import events as payment_events_db

log = structlog.get_logger(__name__)

# An order may change while an event looks at it: then the event looks once more.
_TRIES = 3
# What each provider's own ids look like: one that differs is another payment, other texts are the checkout's.
_OWN_ID: dict[Provider, str] = {"stripe": r"(pi|ch|py)_[A-Za-z0-9]+", "paypal": r"[0-9A-Z]{17}"}
_DISPUTES: dict[Operation, DisputeKind] = {
    "dispute_opened": "dispute",
    "dispute_won": "dispute_won",
    "dispute_lost": "dispute_lost",
    "early_warning": "early_warning",
}


class _LeaseLost(Exception):
    """Another worker has the event: nothing of this try may stay."""


async def apply(deps: Deps, lease: str, event: PaymentEvent) -> None:
    """Applies a claimed event and settles it, in one transaction: a kill loses nothing and repeats nothing."""
    outcome = None
    for _ in range(_TRIES):
        try:
            outcome = await _try(deps, lease, event)
            break
        except Unavailable:
            raise
        except AppError as error:
            log.info("a payment event is tried again", event_id=event.id, reason=error.code)
        except _LeaseLost:
            return
        except Exception:
            # A bug must not block the queue; it is retried like an order that is missing.
            log.exception("a payment event could not be applied", event_id=event.id)
            break
    if outcome is None:
        outcome = Outcome("payment_missing", event.order_id)
        await _settle(deps, lease, event, outcome)
    if outcome.reason == "order_not_found":
        await _look_again(deps, event)


async def match(deps: Deps, event_id: int, order_id: int, *, accept_difference: bool) -> PaymentEvent:
    """Applies an event to the order that a person chose."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        event = existing(await payment_events_db.ROWS.get(tx, event_id), "Payment event")
        events_rules.require_open(event)
        order = await orders_db.ROWS.get(tx, order_id)
        if order is None:
            raise invalid("order_id", "The order id field must be an order of the store.")
        source = await _source(tx, event)
        joined = with_db(deps, db=JoinedDatabase(tx))
        outcome = await _Applying(joined, tx, event, source.provider, accept_difference).to(order)
        if outcome.reason is not None and not outcome.is_applied:
            raise events_rules.rejection(outcome.reason)
        # After the order: payments, too, lock their order before its events.
        locked = existing(await payment_events_db.ROWS.lock(tx, event_id), "Payment event")
        events_rules.require_open(locked)
        done = replace(
            locked, status="applied", reason=outcome.reason, order_id=order_id, lease=None, finished_at=now, due_at=now
        )
        return await payment_events_db.ROWS.save(tx, locked, done)


async def leave(deps: Deps, event_id: int) -> PaymentEvent:
    """A person says that the event is about no order of this store."""
    now = deps.clock.now()
    async with deps.db.write() as tx:
        event = existing(await payment_events_db.ROWS.lock(tx, event_id), "Payment event")
        events_rules.require_open(event)
        return await payment_events_db.ROWS.save(
            tx, event, replace(event, status="ignored", lease=None, finished_at=now, due_at=now)
        )


async def _try(deps: Deps, lease: str, event: PaymentEvent) -> Outcome:
    async with deps.db.write() as tx:
        source = await _source(tx, event)
        applying = _Applying(with_db(deps, db=JoinedDatabase(tx)), tx, event, source.provider)
        named = await _find(tx, applying.report)
        missing = Outcome("order_ambiguous" if named else "order_not_found")
        outcome = await applying.to(named[0]) if len(named) == 1 else missing
        if not await _settled(tx, lease, event, outcome, deps.clock.now()):
            raise _LeaseLost
    return outcome


async def _settle(deps: Deps, lease: str, event: PaymentEvent, outcome: Outcome) -> None:
    async with deps.db.write() as tx:
        await _settled(tx, lease, event, outcome, deps.clock.now())


async def _settled(tx: Transaction, lease: str, event: PaymentEvent, outcome: Outcome, now: Instant) -> bool:
    settlement = events_rules.settle(event, outcome, now)
    if not await payment_events_db.settle(tx, lease, event, settlement, outcome, now):
        return False
    if settlement.status == "unmatched":
        key, text, path = f"payment_event:{event.id}", events_rules.alert_text(event), f"/payments/{event.id}"
        await alerts_db.raise_notice(tx, "payment_unmatched", key, text, path, now, amount=event.amount)
    return True


async def _look_again(deps: Deps, event: PaymentEvent) -> None:
    """An order that was placed during the try could not wake the event."""
    async with deps.db.read() as tx:
        source = await _source(tx, event)
        named = await _find(tx, report_of(deps, event, source.provider))
    if named:
        async with deps.db.write() as tx:
            await payment_events_db.rouse_one(tx, event.id, deps.clock.now())


async def _source(tx: Transaction, event: PaymentEvent) -> PaymentSource:
    return existing(await payment_events_db.ALL_SOURCES.get(tx, event.source_id), "Payment source")


async def _find(tx: Transaction, report: Report) -> list[Order]:
    """By what the event calls the order, then by the ids of its payment.

    A number may be the id of one order and the external id of another: both, unless one of them has the payment. Which
    is meant cannot be guessed, as buyers choose when they order, and so what ids their orders get.
    """
    if report.external_id and (order := await orders_db.ROWS.find_one(tx, external_id=report.external_id)):
        return [order]
    for name in report.names:
        order_id = order_id_in(name)
        by_id = None if order_id is None else await orders_db.ROWS.get(tx, order_id)
        by_external_id = await orders_db.ROWS.find_one(tx, external_id=name)
        named = list({it.id: it for it in (by_id, by_external_id) if it}.values())
        if named:
            having = [it for it in named if {it.transaction_id, it.charge_id}.intersection(report.ids)]
            return having if len(having) == 1 else named
    for payment_id in report.ids:
        order = await orders_db.ROWS.find_one(tx, transaction_id=payment_id)
        order = order or await orders_db.ROWS.find_one(tx, charge_id=payment_id)
        if order:
            return [order]
    return []


async def find_orders(deps: Deps, report: Report) -> list[Order]:
    """The order of a payment, by what it is called and by the provider's ids; two if it may be either."""
    async with deps.db.read() as tx:
        return await _find(tx, report)


class _Applying:
    """One event, and the transaction that it is applied in."""

    def __init__(
        self, deps: Deps, tx: Transaction, event: PaymentEvent, provider: Provider, accept_difference: bool = False
    ) -> None:
        self._deps, self._tx, self._provider, self._accepts = deps, tx, provider, accept_difference
        self._operation = event.operation
        self.report = report_of(deps, event, provider)

    async def to(self, order: Order) -> Outcome:
        operations: dict[Operation | None, Callable[[Order], Awaitable[Outcome]]] = {
            "paid": self._pay,
            "declined": self._decline,
            "refunded": self._refund,
        }
        return await operations.get(self._operation, self._dispute)(order)

    async def _pay(self, order: Order) -> Outcome:
        if order.received_at is not None:
            if not self._is_same_payment(order):
                return Outcome("already_paid", order.id)
            await self._add_facts(order, self._facts())
            return Outcome("already_recorded", order.id)
        if order.status != "pending":
            return Outcome("order_cancelled" if order.status == "cancelled" else "order_on_hold", order.id)
        if differs := self._differs(order, is_same=self.report.amount == order.amount_due):
            return differs
        report = self.report
        await orders.pay(self._deps, order.id, report.method, report.transaction_id, self._facts())
        await self._add_facts(order)
        return Outcome(order_id=order.id)

    def _is_same_payment(self, order: Order) -> bool:
        """Whether the payment that the order has can be this one."""
        ids, transaction_id = self.report.ids, order.transaction_id
        if transaction_id in ids or order.charge_id in ids:
            return True
        is_checkouts = transaction_id is None or not re.fullmatch(_OWN_ID[self._provider], transaction_id)
        is_equal = (self.report.amount, self.report.currency) == (order.money_total, order.currency)
        return order.charge_id is None and is_checkouts and is_equal

    def _is_another_payment(self, order: Order) -> bool:
        """Whether the order has a payment that cannot be this one: a buyer may have paid twice."""
        ids = {order.charge_id}
        if self._provider == "stripe" and re.fullmatch(_OWN_ID["stripe"], order.transaction_id or ""):
            ids.add(order.transaction_id)
        return ids != {None} and bool(self.report.ids) and ids.isdisjoint(self.report.ids)

    async def _add_facts(self, order: Order, payment: Payment = UNKNOWN) -> None:
        ids = {"transaction_id": self.report.transaction_id, "charge_id": self.report.charge_id}
        await orders.add_facts(self._deps, order.id, payment, payment_method=self.report.method, **ids)

    def _facts(self) -> Payment:
        return replace(self.report.payment, instrument=self._instrument())

    def _instrument(self) -> str | None:
        """The same hash as that of a checkout which reports the fingerprint."""
        fingerprint = self.report.fingerprint
        return self._deps.vault.fingerprint(fingerprint.encode(), "payment instrument") if fingerprint else None

    async def _decline(self, order: Order) -> Outcome:
        report = self.report
        if differs := self._differs(order, is_same=report.amount == order.money_total):
            return differs
        _, is_new = await orders.decline(self._deps, order.id, reason=report.reason, external_id=report.reference)
        return Outcome(None if is_new else "already_recorded", order.id)

    async def _refund(self, order: Order) -> Outcome:
        """Brings the order up to the sum that was refunded so far."""
        order = await self._lock(order)
        if missing := _without_payment(order):
            return missing
        if not self._accepts and self._is_another_payment(order):
            return Outcome("already_paid", order.id)
        so_far = self.report.amount
        if differs := self._differs(order, is_same=so_far is not None and so_far <= order.money_total):
            return differs
        refunded = min(order.refunded_total, order.money_total)
        is_all = so_far is None or so_far >= order.money_total or self.report.currency != order.currency
        left = Hundredths((order.money_total if is_all or so_far is None else so_far) - refunded)
        if left <= 0:
            return Outcome("already_recorded", order.id)
        is_held = order.payment_held_at is not None
        if is_held and not is_all:
            return Outcome("order_on_hold", order.id)
        reason = f"Reported by {PROVIDER_NAMES[self._provider]}"
        await orders.refund(self._deps, order.id, None if is_held else left, reason, allow_unrecovered=True)
        return Outcome(order_id=order.id)

    async def _dispute(self, order: Order) -> Outcome:
        order = await self._lock(order)
        if missing := _without_payment(order):
            return missing
        if not self._accepts and self._is_another_payment(order):
            return Outcome("already_paid", order.id)
        report, now = self.report, self._deps.clock.now()
        at = None if report.happened_at is None else Instant(min(max(report.happened_at, order.created_at), now))
        assert self._operation is not None
        kind, reason = _DISPUTES[self._operation], "fraudulent" if report.is_fraud else "other"
        reported = orders.DisputeReport(kind, reason, at, report.reference, report.evidence_due_at)  # type: ignore[arg-type]
        _, is_new = await orders.dispute(self._deps, order.id, reported)
        return Outcome(None if is_new else "already_recorded", order.id)

    async def _lock(self, order: Order) -> Order:
        """The check before its order: the lock order of a review."""
        await fraud_checks_db.lock_of_order(self._tx, order.id)
        return existing(await orders_db.ROWS.lock(self._tx, order.id), "Order")

    def _differs(self, order: Order, *, is_same: bool) -> Outcome | None:
        if self._accepts:
            return None
        if self.report.currency != order.currency:
            return Outcome("currency_differs", order.id)
        return None if is_same else Outcome("amount_differs", order.id)


def _without_payment(order: Order) -> Outcome | None:
    if order.received_at is not None:
        return None
    return Outcome("order_cancelled" if order.status == "cancelled" else "payment_missing", order.id)
