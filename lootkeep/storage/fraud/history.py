"""What the store knows about a buyer at the time of an order, in one query with constant cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Integer, Text, bindparam, case, exists, func, literal_column, or_, select, true

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
from lootkeep.kernel.clock import MINUTE, Instant
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

_CUSTOMER = bindparam("customer", type_=BigInteger)
# A family that shares a device is none.
_IS_OWN = refused_referrals.c.reason != literal_column("'already_referred'", Text)
_WINDOW = bindparam("window", type_=BigInteger)
_UNTIL = bindparam("until", type_=BigInteger)
IN_WINDOW = (orders.c.created_at > _WINDOW, orders.c.created_at <= _UNTIL)
# No row is later.
FOREVER = Instant(2**63 - 1)
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
# Of someone with thousands of orders, only the latest are asked where they came from.
_paid_from = (
    select(orders.c.ip_network)
    .where(_OWN, orders.c.paid_at < bindparam("day_ago", type_=BigInteger))
    .order_by(orders.c.paid_at.desc())
    .limit(literal_column(str(MAX_ASKED), Integer))
    .subquery()
)
_IS_KNOWN_AT_ADDRESS = exists().where(_paid_from.c.ip_network == bindparam("address", type_=Text))
_paid_with = (
    select(orders.c.payment_instrument)
    .where(
        _OWN,
        orders.c.paid_at > bindparam("day_ago", type_=BigInteger),
        orders.c.paid_at <= _UNTIL,
        orders.c.payment_instrument != bindparam("instrument", type_=Text),
    )
    .distinct()
)


def _label_conditions(kind: LabelKind, linked_by: str) -> tuple[Any, ...]:
    """The labels that were known at the time."""
    return (
        labels.c.kind == literal_column(f"'{kind}'", Text),
        labels.c.value == bindparam(linked_by, type_=Text),
        labels.c.since <= _UNTIL,
    )


def _labelled(kind: LabelKind, linked_by: str) -> Any:
    return select(exists().where(*_label_conditions(kind, linked_by))).scalar_subquery()


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
_history = select(
    _counted(
        select(orders.c.id).where(orders.c.ip_network == bindparam("address", type_=Text), *IN_WINDOW),
        ENOUGH_ORDERS,
    ).label("address_orders"),
    _MAILBOX_ORDERS.label("mailbox_orders"),
    _accounts("device", "device", "long_ago").label("device_accounts"),
    _accounts("device", "device", "lately").label("device_accounts_in_hour"),
    _accounts("address", "address", "lately").label("address_accounts_in_hour"),
    _counted(select(labels.c.order_id).where(*_label_conditions("customer", "account")), ENOUGH_ORDERS).label(
        "confirmed_frauds"
    ),
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
    select(exists().where(_OWN, orders.c.created_at < _number("week_ago"))).scalar_subquery().label("has_older_order"),
    _counted(select(_earlier.c.first_seen_at).where(_earlier.c.first_seen_at < _number("made")), ENOUGH_ACCOUNTS).label(
        "device_accounts_before"
    ),
    select(customers.c.first_order_at).where(customers.c.id == _CUSTOMER).scalar_subquery().label("first_paid_at"),
    select(sightings.c.first_seen_at)
    .where(*_DEVICE, sightings.c.customer_id == _CUSTOMER)
    .scalar_subquery()
    .label("device_known_since"),
    _LARGE_FROM.scalar_subquery().label("large_from"),
    _accounts("instrument", "instrument", "long_ago").label("instrument_accounts"),
    _counted(_paid_with, ENOUGH_ACCOUNTS).label("customer_instruments_in_day"),
    _labelled("instrument", "instrument").label("instrument_fraud"),
    _labelled("mailbox", "mailbox").label("mailbox_fraud"),
    _labelled("device", "device").label("device_fraud"),
    _labelled("disputed", "account").label("has_dispute"),
    _accounts("player", "player", "long_ago").label("player_accounts"),
    _labelled("player", "player").label("player_fraud"),
    _counted(
        select(orders.c.id).where(
            _OWN,
            orders.c.paid_at < _number("trusted_before"),
            orders.c.status != literal_column("'refunded'", Text),
        ),
        ENOUGH_OLD_ORDERS,
    ).label("old_paid_orders"),
    select(sightings.c.first_seen_at)
    .where(
        sightings.c.kind == literal_column("'instrument'", Text),
        sightings.c.value == bindparam("instrument", type_=Text),
        sightings.c.customer_id == _CUSTOMER,
    )
    .scalar_subquery()
    .label("instrument_known_since"),
    _declines(payment_attempts.c.customer_id, _CUSTOMER).label("customer_declines"),
    _declines(payment_attempts.c.device_id, bindparam("device", type_=Text)).label("device_declines"),
    case(
        (_IS_KNOWN_AT_ADDRESS, literal_column("0", BigInteger)),
        else_=_declines(payment_attempts.c.ip_network, bindparam("address", type_=Text)),
    ).label("address_declines"),
)
_HISTORY = Query(_history)
_DECLINES = ("customer_declines", "device_declines", "address_declines")
_NAMES = [column.name for column in _history.selected_columns if column.name not in _DECLINES]
# SQLite has no booleans.
_TYPES = {"bool": bool, "int": int}
_READ = {name: _TYPES.get(kind) for name, kind in History.__annotations__.items()}


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
    rows = await tx.fetch_for_each(_HISTORY, [_values(policy, buyer) for buyer in buyers])
    return [_of_row(row) for row in rows]


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


def _of_row(row: tuple[Any, ...]) -> History:
    """The declines come last."""
    values = {name: read(value) if (read := _READ[name]) else value for name, value in zip(_NAMES, row, strict=False)}
    return History(**values, declined_payments=max(row[len(_NAMES) :]))
