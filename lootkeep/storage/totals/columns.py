"""Recounts of totals that are columns of a row: one query each defines the right values."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Subquery, Table, bindparam, case, cast, func, insert, or_, select, update

from lootkeep.storage.engine.query import Query
from lootkeep.storage.schema import (
    customers,
    gift_card_entries,
    gift_cards,
    order_items,
    orders,
    product_keys,
    products,
    referral_tiers,
    referrals,
    referrers,
    reward_claims,
    support_tickets,
    ticket_messages,
)
from lootkeep.storage.schema.goods import AVAILABLE

_NOW = bindparam("now", type_=BigInteger)


def _repair(table: Table, key: str, truth: Subquery, *unless: Any) -> Query[tuple[Any, ...]]:
    """Sets the columns of `truth` to its values where they differ; returns a row for each that did."""
    names = [name for name in truth.c.keys() if name != key]  # noqa: SIM118  a column collection, not a dict
    wrong = or_(*(table.c[name].is_distinct_from(truth.c[name]) for name in names))
    return Query(
        update(table)
        .where(table.c[key] == truth.c[key], wrong, *unless)
        .values({name: truth.c[name] for name in names})
        .returning(table.c[key])
    )


def _summed(value: Any) -> Any:
    return cast(func.coalesce(func.sum(value), 0), BigInteger)


_of_messages = (
    select(
        ticket_messages.c.ticket_id,
        func.count().label("messages_count"),
        func.max(ticket_messages.c.id).label("last_id"),
    )
    .where(ticket_messages.c.is_internal.is_(False))
    .group_by(ticket_messages.c.ticket_id)
    .subquery()
)
_of_ticket = (
    select(
        _of_messages.c.ticket_id.label("id"),
        _of_messages.c.messages_count,
        ticket_messages.c.created_at.label("last_message_at"),
        ticket_messages.c.author_type.label("last_message_by"),
    )
    .join(ticket_messages, ticket_messages.c.id == _of_messages.c.last_id)
    .subquery()
)
_of_customer = (
    select(
        customers.c.id,
        func.count(orders.c.id).filter(orders.c.status != "refunded").label("orders_count"),
        _summed(
            case((orders.c.currency == bindparam("currency"), orders.c.total - orders.c.refunded_total), else_=0)
        ).label("total_spent"),
        func.min(orders.c.paid_at).label("first_order_at"),
        func.max(orders.c.paid_at).label("last_order_at"),
    )
    .outerjoin(orders, (orders.c.customer_id == customers.c.id) & orders.c.paid_at.is_not(None))
    .group_by(customers.c.id)
    .subquery()
)
_is_unpaid = or_(orders.c.status == "pending", orders.c.status == "on_hold")
_sales = (
    select(
        products.c.id,
        _summed(case((orders.c.paid_at.is_not(None), order_items.c.quantity))).label("sales_count"),
        # Of unpaid orders, and of paid lines that wait.
        _summed(
            case(
                (_is_unpaid & order_items.c.holds_stock, order_items.c.quantity),
                (order_items.c.waiting_since.is_not(None), order_items.c.quantity - order_items.c.fulfilled_quantity),
            )
        ).label("reserved"),
    )
    .outerjoin(order_items, order_items.c.product_id == products.c.id)
    .outerjoin(orders, orders.c.id == order_items.c.order_id)
    .group_by(products.c.id)
    .subquery()
)
_available = (
    select(func.count())
    .where(product_keys.c.product_id == products.c.id, AVAILABLE)
    .correlate(products)
    .scalar_subquery()
)
_with_keys = (
    select(
        products.c.id,
        products.c.stock,
        products.c.delivery_type,
        _sales.c.sales_count,
        case((products.c.delivery_type == "keys", _available)).label("keys_available"),
        case((products.c.delivery_type == "keys", _sales.c.reserved)).label("keys_reserved"),
    )
    .join(_sales, _sales.c.id == products.c.id)
    .subquery()
)
_left = _with_keys.c.keys_available - _with_keys.c.keys_reserved
_of_product = select(
    *(_with_keys.c[name] for name in ("id", "sales_count", "keys_available", "keys_reserved")),
    case((_with_keys.c.delivery_type != "keys", _with_keys.c.stock), (_left > 0, _left), else_=0).label("stock"),
).subquery()
_of_tier = (
    select(referral_tiers.c.id, func.count(reward_claims.c.id).label("claims_count"))
    .outerjoin(reward_claims, reward_claims.c.tier_id == referral_tiers.c.id)
    .group_by(referral_tiers.c.id)
    .subquery()
)
_claims_of = (
    select(func.count())
    .where(reward_claims.c.customer_id == referrals.c.referrer_id)
    .correlate(referrals)
    .scalar_subquery()
)
_of_referrer = (
    select(
        referrals.c.referrer_id.label("customer_id"),
        func.count().label("total_referrals"),
        func.count(referrals.c.first_order_at).label("successful_referrals"),
        _claims_of.label("rewards_claimed"),
        func.max(referrals.c.referred_at).label("total_reached_at"),
        func.coalesce(func.max(referrals.c.first_order_at), 0).label("successful_reached_at"),
    )
    .group_by(referrals.c.referrer_id)
    .subquery()
)
_ADD_MISSING_REFERRERS = Query(
    insert(referrers)
    .from_select(
        list(_of_referrer.c.keys()),
        select(_of_referrer).where(_of_referrer.c.customer_id.not_in(select(referrers.c.customer_id))),
    )
    .returning(referrers.c.customer_id)
)
_of_ledger = (
    select(gift_card_entries.c.gift_card_id, _summed(gift_card_entries.c.amount).label("balance"))
    .group_by(gift_card_entries.c.gift_card_id)
    .subquery()
)
_states = (
    select(
        gift_cards.c.id,
        gift_cards.c.starts_at,
        gift_cards.c.expires_at,
        _of_ledger.c.balance,
        case(
            (gift_cards.c.revoked_at.is_not(None), "revoked"),
            (_of_ledger.c.balance == 0, "redeemed"),
            (gift_cards.c.expires_at <= _NOW, "expired"),
            (gift_cards.c.starts_at > _NOW, "scheduled"),
            else_="active",
        ).label("status"),
    )
    .join(_of_ledger, _of_ledger.c.gift_card_id == gift_cards.c.id)
    .subquery()
)
_of_card = select(
    _states.c.id,
    _states.c.balance,
    _states.c.status.label("stored_status"),
    case(
        (_states.c.status == "scheduled", _states.c.starts_at),
        (_states.c.status == "active", _states.c.expires_at),
    ).label("next_status_change_at"),
).subquery()
# Other code settles the status of a card that is due, with everything it affects.
_is_settled = or_(
    gift_cards.c.balance != _of_card.c.balance,
    gift_cards.c.next_status_change_at.is_(None),
    gift_cards.c.next_status_change_at > _NOW,
)

REPAIRS: dict[str, tuple[Query[tuple[Any, ...]], ...]] = {
    "support tickets": (_repair(support_tickets, "id", _of_ticket),),
    "customers": (_repair(customers, "id", _of_customer),),
    "products": (_repair(products, "id", _of_product),),
    "referral tiers": (_repair(referral_tiers, "id", _of_tier),),
    "referrers": (_ADD_MISSING_REFERRERS, _repair(referrers, "customer_id", _of_referrer)),
    "gift cards": (_repair(gift_cards, "id", _of_card, _is_settled),),
}
# What these queries need to know.
GIVEN = {"customers": ("currency",), "gift cards": ("now",)}
