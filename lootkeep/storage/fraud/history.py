"""What the store knows about a buyer at the time of an order, in one query with constant cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Integer, Text, bindparam, case, exists, func, literal_column, select, true

from lootkeep.domain.fraud.amounts import MAX_WEEKS
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.facts import (
    BURST,
    DEVICE_MEMORY,
    ENOUGH_ACCOUNTS,
    ENOUGH_OLD_ORDERS,
    ENOUGH_ORDERS,
    KNOWN_AFTER,
    MAX_ASKED,
    SHORT_MEMORY,
    TRUSTED_AFTER,
    History,
)
from lootkeep.domain.fraud.labels import LabelKind
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import ByEngine
from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    customers,
    labels,
    large_amounts,
    orders,
    payment_attempts,
    refused_referrals,
    sightings,
)


def _number(name: str) -> Any:
    return bindparam(name, type_=BigInteger)


_CUSTOMER = _number("customer")
# A family that shares a device is none.
_IS_OWN = refused_referrals.c.reason != literal_column("'already_referred'", Text)
_WINDOW = _number("window")
_UNTIL = _number("until")
IN_WINDOW = (orders.c.created_at > _WINDOW, orders.c.created_at <= _UNTIL)
# No row is later.
FOREVER = 2**63 - 1


def _counted(rows: Any, most: int) -> Any:
    """The count, up to a limit."""
    bounded = rows.limit(literal_column(str(most), Integer)).subquery()
    return select(func.count()).select_from(bounded).scalar_subquery()


def _seen_with(kind: str) -> tuple[Any, Any]:
    return sightings.c.kind == literal_column(f"'{kind}'", Text), sightings.c.value == bindparam(kind, type_=Text)


# Every order leaves a sighting: a customer who was not seen within the window has no order in it. A mailbox may have
# thousands of accounts; only these are examined.
OF_MAILBOX = (*_seen_with("mailbox"), sightings.c.last_seen_at > _WINDOW)


def _accounts(kind: str, since: str) -> Any:
    """Other accounts that were seen with the same value since then, as known at the time."""
    return _counted(
        select(sightings.c.customer_id).where(
            *_seen_with(kind),
            sightings.c.last_seen_at > _number(since),
            sightings.c.first_seen_at <= _UNTIL,
            sightings.c.customer_id != _CUSTOMER,
        ),
        ENOUGH_ACCOUNTS,
    )


# Orders of the accounts of a mailbox. PostgreSQL is not free to begin with all orders of the window, which it does as
# long as the tables are not analysed and seem empty: a LATERAL with an OFFSET runs for each account.
_of_account = (
    select(orders.c.id)
    .where(orders.c.customer_id == sightings.c.customer_id, *IN_WINDOW)
    .offset(literal_column("0", Integer))
    .correlate(sightings)
    .lateral("of_account")
)
_MAILBOX_ORDERS = ByEngine(
    sqlite=_counted(
        select(orders.c.id)
        .join(sightings, sightings.c.customer_id == orders.c.customer_id)
        .where(*OF_MAILBOX, *IN_WINDOW),
        ENOUGH_ORDERS,
    ),
    postgresql=_counted(
        select(_of_account.c.id).select_from(sightings.join(_of_account, true())).where(*OF_MAILBOX), ENOUGH_ORDERS
    ),
)


# The latest that were not here within the hour: a device with thousands of accounts is not searched for its first
# owners.
_earlier = (
    select(sightings.c.first_seen_at)
    .where(
        *_seen_with("device"),
        sightings.c.last_seen_at > _number("long_ago"),
        sightings.c.last_seen_at <= _number("lately"),
        sightings.c.customer_id != _CUSTOMER,
    )
    .order_by(sightings.c.last_seen_at.desc())
    .limit(literal_column(str(MAX_ASKED), Integer))
    .subquery()
)
# A friend who pays with the card of the referrer.
_PAYS_AS_REFERRER = exists().where(
    *_seen_with("instrument"),
    sightings.c.customer_id == customers.c.referred_by_id,
    sightings.c.first_seen_at <= _UNTIL,
)
_OWN = orders.c.customer_id == _CUSTOMER
# Of someone with thousands of orders, only the latest are asked where they came from.
_paid_from = (
    select(orders.c.ip_network)
    .where(_OWN, orders.c.paid_at < _number("day_ago"))
    .order_by(orders.c.paid_at.desc())
    .limit(literal_column(str(MAX_ASKED), Integer))
    .subquery()
)
_IS_KNOWN_AT_ADDRESS = exists().where(_paid_from.c.ip_network == bindparam("address", type_=Text))
_paid_with = (
    select(orders.c.payment_instrument)
    .where(
        _OWN,
        orders.c.paid_at > _number("day_ago"),
        orders.c.paid_at <= _UNTIL,
        orders.c.payment_instrument != bindparam("instrument", type_=Text),
    )
    .distinct()
)


def _known_since(kind: str) -> Any:
    own = select(sightings.c.first_seen_at).where(*_seen_with(kind), sightings.c.customer_id == _CUSTOMER)
    return own.scalar_subquery()


def _labelled(kind: LabelKind, linked_by: str) -> Any:
    """Whether it was known at the time."""
    return exists().where(
        labels.c.kind == literal_column(f"'{kind}'", Text),
        labels.c.value == bindparam(linked_by, type_=Text),
        labels.c.since <= _UNTIL,
    )


def _declines(column: Any, value: Any) -> Any:
    """Payments declined within the window."""
    in_window = (payment_attempts.c.at > _WINDOW, payment_attempts.c.at <= _UNTIL)
    return _counted(select(payment_attempts.c.at).where(column == value, *in_window), ENOUGH_ORDERS)


_LARGE_FROM = (
    select(large_amounts.c.amount)
    .where(
        large_amounts.c.week <= _number("week"),
        large_amounts.c.week > _number("week") - literal_column(str(MAX_WEEKS), BigInteger),
        large_amounts.c.currency == bindparam("currency", type_=Text),
    )
    .order_by(large_amounts.c.week.desc())
    .limit(literal_column("1", Integer))
)

# What is asked for each value that is known of the buyer: without a card, nothing is asked about cards. Each is a field
# of `History`, except the declines, of which the highest counts, and the card of the referrer.
_FACTS: dict[str, dict[str, Any]] = {
    "customer": {
        "confirmed_frauds": _labelled("customer", "account"),
        "has_refused_referral": exists().where(refused_referrals.c.customer_id == _CUSTOMER, _IS_OWN),
        "paid_orders": func.coalesce(customers.c.orders_count, literal_column("0", BigInteger)),
        "customer_orders_in_day": _counted(
            select(orders.c.id).where(_OWN, orders.c.created_at > _number("day_ago"), orders.c.created_at <= _UNTIL),
            ENOUGH_ORDERS,
        ),
        "has_older_order": exists().where(_OWN, orders.c.created_at < _number("week_ago")),
        "first_paid_at": customers.c.first_order_at,
        "has_dispute": _labelled("disputed", "account"),
        "old_paid_orders": _counted(
            select(orders.c.id).where(
                _OWN,
                orders.c.paid_at < _number("trusted_before"),
                orders.c.status != literal_column("'refunded'", Text),
            ),
            ENOUGH_OLD_ORDERS,
        ),
        "customer_declines": _declines(payment_attempts.c.customer_id, _CUSTOMER),
    },
    "currency": {"large_from": _LARGE_FROM.scalar_subquery()},
    "mailbox": {"mailbox_orders": _MAILBOX_ORDERS, "mailbox_fraud": _labelled("mailbox", "mailbox")},
    "address": {
        "address_orders": _counted(
            select(orders.c.id).where(orders.c.ip_network == bindparam("address", type_=Text), *IN_WINDOW),
            ENOUGH_ORDERS,
        ),
        "address_accounts_in_hour": _accounts("address", "lately"),
        "address_declines": case(
            (_IS_KNOWN_AT_ADDRESS, literal_column("0", BigInteger)),
            else_=_declines(payment_attempts.c.ip_network, bindparam("address", type_=Text)),
        ),
    },
    "device": {
        "device_accounts": _accounts("device", "long_ago"),
        "device_accounts_in_hour": _accounts("device", "lately"),
        "device_accounts_before": _counted(
            select(_earlier.c.first_seen_at).where(_earlier.c.first_seen_at < _number("made")), ENOUGH_ACCOUNTS
        ),
        "device_known_since": _known_since("device"),
        "device_fraud": _labelled("device", "device"),
        "device_declines": _declines(payment_attempts.c.device_id, bindparam("device", type_=Text)),
    },
    "instrument": {
        "instrument_accounts": _accounts("instrument", "long_ago"),
        "customer_instruments_in_day": _counted(_paid_with, ENOUGH_ACCOUNTS),
        "instrument_known_since": _known_since("instrument"),
        "instrument_fraud": _labelled("instrument", "instrument"),
        "pays_as_referrer": _PAYS_AS_REFERRER,
    },
    "player": {"player_accounts": _accounts("player", "long_ago"), "player_fraud": _labelled("player", "player")},
}
_DECLINES = ("customer_declines", "device_declines", "address_declines")
# There is always one row, even without such a customer.
_always = select(literal_column("1").label("one")).subquery("always")


@cache
def _history(values: tuple[str, ...]) -> Query[History]:
    """The facts by these values."""
    facts = {name: fact for value in values for name, fact in _FACTS[value].items()}
    statement = select(*(fact.label(name) for name, fact in facts.items()))
    customer = _always.outerjoin(customers, customers.c.id == _CUSTOMER)
    return Query(statement.select_from(customer), lambda *row: _of_row(dict(zip(facts, row, strict=True))))


def _of_row(row: dict[str, Any]) -> History:
    declines = max(row.pop(name, 0) for name in _DECLINES)
    row["confirmed_frauds"] = int(row["confirmed_frauds"])
    row["has_refused_referral"] |= row.pop("pays_as_referrer", False)
    return History(**row, declined_payments=declines)


_FRAUD_MAILBOX = Query(
    select(labels.c.since).where(
        labels.c.kind == literal_column("'mailbox'", Text), labels.c.value == bindparam("mailbox", type_=Text)
    )
)


async def is_fraud_mailbox(tx: Transaction, mailbox: str) -> bool:
    """Whether an order with this mailbox was fraud."""
    return bool(await tx.all(_FRAUD_MAILBOX, mailbox=mailbox))


async def gather(tx: Transaction, policy: Policy, buyers: Sequence[Buyer]) -> list[History]:
    """The history of each, in their order."""
    rows = [_values(policy, buyer) for buyer in buyers]
    known = tuple(name for name in _FACTS if any(row[name] is not None for row in rows))
    return await tx.fetch_for_each(_history(known), rows)


def _values(policy: Policy, buyer: Buyer) -> dict[str, Any]:
    return {
        "customer": buyer.customer_id,
        "account": str(buyer.customer_id),
        "address": buyer.ip_network,
        "mailbox": buyer.mailbox,
        "device": buyer.device_id,
        "until": buyer.at if buyer.is_past else FOREVER,
        "window": buyer.at - policy.fraud_velocity_window_minutes * MINUTE,
        "long_ago": buyer.at - DEVICE_MEMORY,
        "lately": buyer.at - SHORT_MEMORY,
        "day_ago": buyer.at - BURST,
        "week_ago": buyer.at - KNOWN_AFTER,
        "trusted_before": buyer.at - TRUSTED_AFTER,
        "made": buyer.at if buyer.customer_created_at is None else buyer.customer_created_at,
        "week": buyer.week,
        "currency": buyer.currency,
        "instrument": buyer.instrument,
        "player": buyer.player,
    }
