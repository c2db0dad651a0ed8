"""What the store knows about a buyer at the time of an order, in one query with constant cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Integer, Text, bindparam, exists, func, literal_column, or_, select, true

from lootkeep.domain.fraud.amounts import MAX_WEEKS
from lootkeep.domain.fraud.buyers import Buyer
from lootkeep.domain.fraud.facts import (
    BURST,
    DEVICE_MEMORY,
    ENOUGH_ACCOUNTS,
    ENOUGH_ORDERS,
    KNOWN_AFTER,
    MAX_ASKED,
    SHORT_MEMORY,
    History,
)
from lootkeep.domain.fraud.labels import LabelKind
from lootkeep.domain.fraud.policy import Policy
from lootkeep.kernel.clock import MINUTE
from lootkeep.storage.engine.by_engine import ByEngine
from lootkeep.storage.engine.database import Transaction
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

_CUSTOMER = bindparam("customer", type_=BigInteger)
# A family that shares a device is none.
_IS_OWN = refused_referrals.c.reason != literal_column("'already_referred'", Text)
_WINDOW = bindparam("window", type_=BigInteger)
_UNTIL = bindparam("until", type_=BigInteger)
IN_WINDOW = (orders.c.created_at > _WINDOW, orders.c.created_at <= _UNTIL)
# No row is later.
FOREVER = 2**63 - 1
# Every order leaves a sighting: a customer who was not seen within the window has no order in it. A mailbox may have
# thousands of accounts; only these are examined.
OF_MAILBOX = (
    sightings.c.kind == literal_column("'mailbox'", Text),
    sightings.c.value == bindparam("mailbox", type_=Text),
    sightings.c.last_seen_at > _WINDOW,
)


def _counted(rows: Any, most: int) -> Any:
    """The count, up to a limit."""
    bounded = rows.limit(literal_column(str(most), Integer)).subquery()
    return select(func.count()).select_from(bounded).scalar_subquery()


def _accounts(kind: str, seen_with: str, since: str) -> Any:
    """Other accounts that were seen with the same value since then, as known at the time."""
    return _counted(
        select(sightings.c.customer_id).where(
            sightings.c.kind == literal_column(f"'{kind}'", Text),
            sightings.c.value == bindparam(seen_with, type_=Text),
            sightings.c.last_seen_at > bindparam(since, type_=BigInteger),
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


def _number(name: str) -> Any:
    return bindparam(name, type_=BigInteger)


_DEVICE = (
    sightings.c.kind == literal_column("'device'", Text),
    sightings.c.value == bindparam("device", type_=Text),
)
# The latest that were not here within the hour: a device with thousands of accounts is not searched for its first
# owners.
_earlier = (
    select(sightings.c.first_seen_at)
    .where(
        *_DEVICE,
        sightings.c.last_seen_at > _number("long_ago"),
        sightings.c.last_seen_at <= _number("lately"),
        sightings.c.customer_id != _CUSTOMER,
    )
    .order_by(sightings.c.last_seen_at.desc())
    .limit(literal_column(str(MAX_ASKED), Integer))
    .subquery()
)
_referrer = select(customers.c.referred_by_id).where(customers.c.id == _CUSTOMER).scalar_subquery()
# A friend who pays with the card of the referrer.
_PAYS_AS_REFERRER = exists().where(
    sightings.c.kind == literal_column("'instrument'", Text),
    sightings.c.value == bindparam("instrument", type_=Text),
    sightings.c.customer_id == _referrer,
    sightings.c.first_seen_at <= _UNTIL,
)
_OWN = orders.c.customer_id == _CUSTOMER


def _labelled(kind: LabelKind, linked_by: str) -> Any:
    """Whether it was known at the time."""
    is_known = exists().where(
        labels.c.kind == literal_column(f"'{kind}'", Text),
        labels.c.value == bindparam(linked_by, type_=Text),
        labels.c.since <= _UNTIL,
    )
    return select(is_known).scalar_subquery()


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

# Each is a field of `History`, except the declines, of which the highest counts.
_HISTORY = Query(
    select(
        _counted(
            select(orders.c.id).where(orders.c.ip_network == bindparam("address", type_=Text), *IN_WINDOW),
            ENOUGH_ORDERS,
        ).label("address_orders"),
        _MAILBOX_ORDERS.label("mailbox_orders"),
        _accounts("device", "device", "long_ago").label("device_accounts"),
        _accounts("device", "device", "lately").label("device_accounts_in_hour"),
        _accounts("address", "address", "lately").label("address_accounts_in_hour"),
        _labelled("customer", "account").label("confirmed_frauds"),
        select(or_(exists().where(refused_referrals.c.customer_id == _CUSTOMER, _IS_OWN), _PAYS_AS_REFERRER))
        .scalar_subquery()
        .label("has_refused_referral"),
        func.coalesce(
            select(customers.c.orders_count).where(customers.c.id == _CUSTOMER).scalar_subquery(),
            literal_column("0", BigInteger),
        ).label("paid_orders"),
        _counted(
            select(orders.c.id).where(_OWN, orders.c.created_at > _number("day_ago"), orders.c.created_at <= _UNTIL),
            ENOUGH_ORDERS,
        ).label("customer_orders_in_day"),
        select(exists().where(_OWN, orders.c.created_at < _number("week_ago")))
        .scalar_subquery()
        .label("has_older_order"),
        _counted(
            select(_earlier.c.first_seen_at).where(_earlier.c.first_seen_at < _number("made")), ENOUGH_ACCOUNTS
        ).label("device_accounts_before"),
        select(customers.c.first_order_at).where(customers.c.id == _CUSTOMER).scalar_subquery().label("first_paid_at"),
        select(sightings.c.first_seen_at)
        .where(*_DEVICE, sightings.c.customer_id == _CUSTOMER)
        .scalar_subquery()
        .label("device_known_since"),
        _LARGE_FROM.scalar_subquery().label("large_from"),
        _accounts("instrument", "instrument", "long_ago").label("instrument_accounts"),
        _counted(
            select(sightings.c.value).where(
                sightings.c.customer_id == _CUSTOMER,
                sightings.c.kind == literal_column("'instrument'", Text),
                sightings.c.last_seen_at > _number("day_ago"),
                sightings.c.first_seen_at <= _UNTIL,
                sightings.c.value != bindparam("instrument", type_=Text),
            ),
            ENOUGH_ACCOUNTS,
        ).label("customer_instruments_in_day"),
        _labelled("instrument", "instrument").label("instrument_fraud"),
        _labelled("mailbox", "mailbox").label("mailbox_fraud"),
        _labelled("device", "device").label("device_fraud"),
        _labelled("disputed", "account").label("has_dispute"),
        _declines(payment_attempts.c.customer_id, _CUSTOMER).label("customer_declines"),
        _declines(payment_attempts.c.device_id, bindparam("device", type_=Text)).label("device_declines"),
        _declines(payment_attempts.c.ip_network, bindparam("address", type_=Text)).label("address_declines"),
    )
)


async def gather(tx: Transaction, policy: Policy, buyers: Sequence[Buyer]) -> list[History]:
    """The history of each, in their order."""
    rows = await tx.fetch_for_each(_HISTORY, [_values(policy, buyer) for buyer in buyers])
    return [_history(row) for row in rows]


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
        "made": buyer.at if buyer.customer_created_at is None else buyer.customer_created_at,
        "week": buyer.week,
        "currency": buyer.currency,
        "instrument": buyer.instrument,
    }


def _history(row: tuple[Any, ...]) -> History:
    return History(
        address_orders=row[0],
        mailbox_orders=row[1],
        device_accounts=row[2],
        device_accounts_in_hour=row[3],
        address_accounts_in_hour=row[4],
        confirmed_frauds=int(row[5]),
        has_refused_referral=bool(row[6]),
        paid_orders=row[7],
        customer_orders_in_day=row[8],
        has_older_order=bool(row[9]),
        device_accounts_before=row[10],
        first_paid_at=row[11],
        device_known_since=row[12],
        large_from=row[13],
        instrument_accounts=row[14],
        customer_instruments_in_day=row[15],
        instrument_fraud=bool(row[16]),
        mailbox_fraud=bool(row[17]),
        device_fraud=bool(row[18]),
        has_dispute=bool(row[19]),
        declined_payments=max(row[20:]),
    )
