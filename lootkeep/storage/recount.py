"""Every kept total counted again from what it sums up: to prove that they agree, and to mend them if they do not."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    Subquery,
    Table,
    bindparam,
    case,
    cast,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from lootkeep.kernel.clock import DAY, Instant
from lootkeep.storage import counters, gift_card_recount, rollup_recount, spending_recount, ticket_recount
from lootkeep.storage.engine.database import Transaction
from lootkeep.storage.engine.dialect import HoldTables
from lootkeep.storage.engine.query import Query
from lootkeep.storage.fraud_checks import COUNTER, signal_counters
from lootkeep.storage.schema import (
    coupons,
    customers,
    email_campaigns,
    fraud_checks,
    order_items,
    orders,
    products,
    referral_tiers,
    referrals,
    referrers,
    refused_referrals,
    reward_claims,
)

# Nobody may change what is counted while it is counted. The shared totals come last, as in every deed.
_HOLD = Query(
    HoldTables(
        "customers",
        "email_campaigns",
        "spendings",
        "products",
        "referral_tiers",
        "referrers",
        "gift_cards",
        "counters",
        "sales_rollups",
        "buyers",
    )
)


def _mend(table: Table, key: str, truth: Subquery) -> Query[tuple[Any, ...]]:
    """Sets the columns that `truth` has to its values, where they differ; answers a row for each that did."""
    names = [name for name in truth.c.keys() if name != key]  # noqa: SIM118  a column collection, not a dict
    wrong = or_(*(table.c[name].is_distinct_from(truth.c[name]) for name in names))
    return Query(
        update(table)
        .where(table.c[key] == truth.c[key], wrong)
        .values({name: truth.c[name] for name in names})
        .returning(table.c[key])
    )


def _summed(value: Any) -> Any:
    return cast(func.coalesce(func.sum(value), 0), BigInteger)


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
_of_product = (
    select(products.c.id, _summed(case((orders.c.paid_at.is_not(None), order_items.c.quantity))).label("sales_count"))
    .outerjoin(order_items, order_items.c.product_id == products.c.id)
    .outerjoin(orders, orders.c.id == order_items.c.order_id)
    .group_by(products.c.id)
    .subquery()
)
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

_MENDS = {
    "customers": (_mend(customers, "id", _of_customer),),
    "products": (_mend(products, "id", _of_product),),
    "referral tiers": (_mend(referral_tiers, "id", _of_tier),),
    "referrers": (_ADD_MISSING_REFERRERS, _mend(referrers, "customer_id", _of_referrer)),
}


def _by_day(table: Table, name: Any, at: Any, *which: Any) -> Select[Any]:
    rows = select(name.label("name"), (at // DAY).label("day")).select_from(table).where(*which).subquery()
    return select(rows.c.name, rows.c.day, func.count()).group_by(rows.c.name, rows.c.day)


_DAILY = {
    "referrals.": Query(_by_day(referrals, referrals.c.status, referrals.c.referred_at)),
    "orders.": Query(_by_day(orders, orders.c.status, orders.c.created_at)),
    COUNTER: Query(
        _by_day(
            fraud_checks,
            fraud_checks.c.risk_level
            + "."
            + fraud_checks.c.action_taken
            + case((fraud_checks.c.is_reviewed, ".reviewed"), else_=".open"),
            fraud_checks.c.created_at,
        )
    ),
    "customers.": Query(_by_day(customers, literal("all"), customers.c.created_at)),
    "products.": Query(_by_day(products, literal("all"), products.c.created_at, products.c.deleted_at.is_(None))),
    "email_campaigns.": Query(_by_day(email_campaigns, literal("all"), email_campaigns.c.created_at)),
}
_TOTALS = {
    "claims.made": Query(select(func.count()).select_from(reward_claims)),
    "refused_referrals.made": Query(select(func.count()).select_from(refused_referrals)),
}
# Few combinations of signals make up a million checks.
_SIGNALS = Query(
    select(fraud_checks.c.signals, fraud_checks.c.review_outcome, func.count()).group_by(
        fraud_checks.c.signals, fraud_checks.c.review_outcome
    )
)
_COUPONS_VALUE = Query(
    select(_summed(coupons.c.discount_given))
    .join(orders, orders.c.id == coupons.c.order_id)
    .where(coupons.c.status == "used", orders.c.currency == bindparam("currency"))
)


async def mend(tx: Transaction, currency: str, now: Instant) -> dict[str, int]:
    """How many kept totals of each kind were wrong; in this transaction they are right now."""
    await tx.run(_HOLD)
    wrong = await ticket_recount.mend(tx)
    for kind, queries in _MENDS.items():
        values = {"currency": currency} if kind == "customers" else {}
        wrong[kind] = sum([len(await tx.all(query, **values)) for query in queries])
    wrong["gift cards"] = await gift_card_recount.mend(tx, now)
    wrong["totals"] = await counters.set_all(tx, await _expected(tx, currency))
    return wrong | await rollup_recount.mend(tx) | await spending_recount.mend(tx)


async def _expected(tx: Transaction, currency: str) -> dict[tuple[str, int], int]:
    expected: dict[tuple[str, int], int] = {}
    for prefix, query in (_DAILY | gift_card_recount.DAILY).items():
        for name, day, count in await tx.all(query):
            for bucket in (counters.TOTAL, *counters.dated(day)):
                expected[prefix + name, bucket] = expected.get((prefix + name, bucket), 0) + count
    for name, query in _TOTALS.items():
        for (count,) in await tx.all(query):
            expected[name, counters.TOTAL] = count
    for signals, outcome, count in await tx.all(_SIGNALS):
        for name in signal_counters(signals, outcome):
            expected[name, counters.TOTAL] = expected.get((name, counters.TOTAL), 0) + count
    ((expected["referral_coupons.value", counters.TOTAL],),) = await tx.all(_COUPONS_VALUE, currency=currency)
    return expected | await gift_card_recount.totals(tx)
