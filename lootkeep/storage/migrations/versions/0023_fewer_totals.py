"""Fewer maintained totals: what a query answers soon enough is counted when it is asked for."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

_COUNTERS = """
    INSERT INTO counters (name, shard, value)
    SELECT replace(replace(name, '.open', '.false'), '.reviewed', '.true'), shard, value FROM counters_by_day
    WHERE bucket = -1 AND name NOT LIKE 'fraud|_signals.%' ESCAPE '|' AND name NOT LIKE 'gift|_card|_value.%' ESCAPE '|'
    AND name <> 'referral_coupons.value'
"""
_COUPON_DISCOUNTS = """
    INSERT INTO counters (name, shard, value)
    SELECT 'coupon_discounts.' || currency, 0, sum(discount_total) FROM orders
    WHERE coupon_id IS NOT NULL AND paid_at IS NOT NULL GROUP BY currency
"""
# 32 days each, from the days.
_PERIODS = """
    INSERT INTO sales_rollups (dimension, level, block, key, currency, shard, orders, items, gross, discounts,
        gift_cards, refunds, refunded_orders, completed_orders, new_customers)
    SELECT dimension, 2, block / 32, key, currency, shard, sum(orders), sum(items), sum(gross), sum(discounts),
        sum(gift_cards), sum(refunds), sum(refunded_orders), sum(completed_orders), sum(new_customers)
    FROM sales_rollups WHERE level = 1 GROUP BY dimension, block / 32, key, currency, shard
"""
_STATUSES = """
    INSERT INTO sales_rollups (dimension, level, block, key, currency, shard, orders, items, gross, discounts,
        gift_cards, refunds, refunded_orders, completed_orders, new_customers)
    SELECT 'status', 1, created_at / 86400000000, status, '', 0, count(*), 0, 0, 0, 0, 0, 0, 0, 0
    FROM orders GROUP BY created_at / 86400000000, status
"""


def upgrade() -> None:
    _count_without_days()
    op.execute(sa.text("DELETE FROM sales_rollups WHERE level = 2"))
    op.execute(sa.text(_STATUSES))
    op.execute(sa.text(_PERIODS))
    op.execute(sa.text("DELETE FROM buyers WHERE level = 2"))
    op.drop_table("spendings")
    op.drop_table("ticket_counts")
    op.create_index("ix_support_tickets_closed_at", "support_tickets", ["closed_at"])
    for name, end in (("response", "first_response_at"), ("resolution", "resolved_at")):
        _index(
            f"ix_support_tickets_{name}",
            "support_tickets",
            sa.text(f"(({end} - created_at) / 1000000)"),
            where=f"{end} IS NOT NULL",
            postgresql_include=[end, "created_at"],
        )
    op.create_index("ix_gift_cards_figures", "gift_cards", ["currency", "kept_status", "initial_balance", "balance"])
    _index("ix_gift_card_entries_revoked", "gift_card_entries", "gift_card_id", "amount", where="type = 'revoke'")
    _index("ix_fraud_checks_signals", "fraud_checks", "signals", "review_outcome", where="signals <> '{}'")


def _count_without_days() -> None:
    op.drop_index("ix_counters_totals", "counters")
    op.rename_table("counters", "counters_by_day")
    if op.get_context().dialect.name == "postgresql":
        op.execute("ALTER INDEX pk_counters RENAME TO pk_counters_by_day")
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("shard", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", "shard", name="pk_counters"),
        sqlite_with_rowid=False,
    )
    op.execute(sa.text(_COUNTERS))
    op.execute(sa.text(_COUPON_DISCOUNTS))
    op.drop_table("counters_by_day")


def _index(name: str, table: str, *columns: str | sa.TextClause, where: str, **options: Any) -> None:
    condition = sa.text(where)
    op.create_index(name, table, list(columns), sqlite_where=condition, postgresql_where=condition, **options)
