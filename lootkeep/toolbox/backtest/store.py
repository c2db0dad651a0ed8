"""A store in memory that past orders are replayed into: it knows a buyer by the SQL of the checkout."""

from __future__ import annotations

from msgspec.structs import replace

from lootkeep.domain import identity as identity_rules
from lootkeep.domain.declined_payments import declined
from lootkeep.domain.fraud.amounts import week_of
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.facts import History
from lootkeep.domain.fraud.labels import Label, fraud_labels
from lootkeep.domain.fraud.policy import Policy
from lootkeep.domain.identity import Trace
from lootkeep.domain.orders import Order
from lootkeep.domain.sign_up import SignUp, new_customer
from lootkeep.kernel.clock import Instant
from lootkeep.kernel.money import Hundredths
from lootkeep.services import fraud_amounts as fraud_amounts_service
from lootkeep.storage.customers import rows as customers_db
from lootkeep.storage.customers.rows import CustomerPayment
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.fraud import history as fraud_history_db, identity as identity_db
from lootkeep.storage.fraud.identity import SeenCustomer
from lootkeep.storage.orders import (
    disputes as disputes_db,
    payment_attempts as payment_attempts_db,
    rows as orders_db,
)
from lootkeep.toolbox.backtest.reading import PastOrder

_CURRENCY = "USD"
# The currency of an order whose total is not known, so it does not count among the amounts.
_NO_CURRENCY = ""
# What nothing can be said about if the account is not known: it cannot be distinguished from others.
_OF_OTHERS = dict.fromkeys(
    (
        *("device_accounts", "device_accounts_before", "device_accounts_in_hour"),
        *("address_accounts_in_hour", "instrument_accounts", "player_accounts"),
    ),
    0,
)


class ReplayStore:
    """Takes orders in chronological order only."""

    def __init__(self, tx: Transaction, policy: Policy) -> None:
        self._tx = tx
        self._policy = policy
        self._customers: dict[str, int] = {}
        # When a customer without a date of creation was first seen.
        self._first_seen: dict[str, Instant] = {}
        self._unknown = 0
        self._week = -1

    async def sign_up(self, account: PastOrder) -> None:
        """An account was created, and seen with what it signed up with."""
        at = account.customer_created_at or Instant(0)
        customer_id = await self._customer(account, at)
        traces = _traces("", account.signup_ip_address, account.signup_device_id)
        await identity_db.remember(self._tx, [SeenCustomer(customer_id, traces, at)])

    async def place(self, past: PastOrder) -> tuple[Order, History]:
        """The order, and what was known before it. Every order leaves its traces, even a blocked one."""
        at = past.created_at or Instant(0)
        await self._measure_amounts(at)
        customer_id = await self._customer(past, at)
        history = await self._history(past, customer_id, at)
        order = await orders_db.ROWS.add(self._tx, _order(past, customer_id, at))
        if past.account is not None:
            trace_values = past.ip_address, past.device_id, past.payment_fingerprint, past.player
            traces = _traces(past.email, *trace_values)
            await identity_db.remember(self._tx, [SeenCustomer(customer_id, traces, at)])
            # A past order counts as paid.
            await customers_db.add_payments(self._tx, [CustomerPayment(customer_id, order.total, at)])
            self._first_seen.setdefault(past.account, at)
        return order, history

    async def _measure_amounts(self, at: Instant) -> None:
        if week_of(at) != self._week:
            self._week = week_of(at)
            await fraud_amounts_service.ensure(self._tx, [self._week])

    async def _history(self, past: PastOrder, customer_id: int, at: Instant) -> History:
        created_at = past.customer_created_at
        buyer = Buyer(
            at,
            past.email or None,
            past.ip_address,
            past.device_id,
            customer_id,
            customer_created_at=self._first_seen.get(past.account or "") if created_at is None else created_at,
            currency=_CURRENCY,
            instrument=past.payment_fingerprint,
            player=past.player,
        )
        (history,) = await fraud_history_db.gather(self._tx, self._policy, [buyer])
        return history if past.account else replace(history, **_OF_OTHERS)

    async def _customer(self, past: PastOrder, at: Instant) -> int:
        """Its id; an order of an unknown account has one of its own."""
        account = past.account
        if account is None:
            self._unknown -= 1
            return self._unknown
        if account not in self._customers:
            # Two accounts may have one e-mail in a file.
            new = replace(new_customer(SignUp(account, account), account, at), email=account)
            customer = await customers_db.ROWS.add(self._tx, new)
            self._customers[account] = customer.id
        return self._customers[account]

    async def decline(self, order: Order, at: Instant) -> None:
        await payment_attempts_db.ROWS.add(self._tx, declined(order, at))

    async def dispute(self, order: Order, past: PastOrder, at: Instant) -> None:
        """An order was confirmed as fraud: known from this time on."""
        customer = str(order.customer_id) if past.account else None
        labels = fraud_labels(
            at,
            customer=customer,
            instrument=past.payment_fingerprint,
            mailbox=past.mailbox,
            device=past.device_id,
            player=past.player,
        )
        disputed = [Label("disputed", customer, at)] if customer else []
        await disputes_db.set_labels(self._tx, order.id, labels + disputed)


def _traces(email: str, *others: str | None) -> list[Trace]:
    traces = identity_rules.traces(email, *others)
    return traces if email else traces[1:]


def _order(past: PastOrder, customer_id: int, at: Instant) -> Order:
    total, nothing = past.total or Hundredths(0), Hundredths(0)
    currency = _NO_CURRENCY if past.total is None else _CURRENCY
    return Order(
        id=0,
        customer_id=customer_id,
        status="paid",
        subtotal=total,
        discount_total=nothing,
        total=total,
        gift_card_total=nothing,
        refunded_total=nothing,
        currency=currency,
        coupon_id=None,
        coupon_code=None,
        referral_code=None,
        subscription_id=None,
        payment_method=None,
        transaction_id=None,
        ip_address=past.ip_address,
        billing_country=past.billing_country,
        user_agent=past.user_agent,
        device_id=past.device_id,
        cancel_reason=None,
        external_id=None,
        metadata="{}",
        created_at=at,
        updated_at=at,
        paid_at=at,
        payment_instrument=past.payment_fingerprint,
    )
