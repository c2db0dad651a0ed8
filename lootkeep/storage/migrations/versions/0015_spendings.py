"""What each customer spent, by month and year; products and campaigns counted by day."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

# The month of a payment, counted since the epoch.
_MONTH = {
    "postgresql": "(extract(year FROM {0}) * 12 + extract(month FROM {0}))::bigint - 23641".format(
        "to_timestamp(paid_at / 1000000) AT TIME ZONE 'UTC'"
    ),
    "sqlite": "strftime('%Y', paid_at / 1000000, 'unixepoch') * 12"
    " + strftime('%m', paid_at / 1000000, 'unixepoch') - 23641",
}
_MONTHS = """
    INSERT INTO spendings (customer_id, level, block, currency, orders, spent)
    SELECT customer_id, 2, {0}, currency, sum(CASE WHEN status = 'refunded' THEN 0 ELSE 1 END),
        sum(total - refunded_total)
    FROM orders WHERE paid_at IS NOT NULL GROUP BY 1, 3, 4
"""
_YEARS = """
    INSERT INTO spendings (customer_id, level, block, currency, orders, spent)
    SELECT customer_id, 4, block / 12, currency, sum(orders), sum(spent) FROM spendings GROUP BY 1, 3, 4
"""

# In all, by day, and by blocks of 16 days, whose buckets lie below that of the whole total.
_COUNTED = """
    INSERT INTO counters (name, bucket, shard, value)
    SELECT '{0}.all', {1}, 0, count(*) FROM {0} WHERE {2} GROUP BY 2
"""
_DAY = "created_at / 86400000000"

# PostgreSQL 13 cannot, and does without.
_STATISTICS = """
    DO $$ BEGIN IF cast(current_setting('server_version_num') AS int) >= 140000 THEN
    CREATE STATISTICS products_by_stock ON (coalesce(stock, 2147483648)) FROM products; END IF; END $$
"""


def upgrade() -> None:
    op.create_table(
        "spendings",
        sa.Column("customer_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("level", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("block", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("orders", sa.BigInteger(), nullable=False),
        sa.Column("spent", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("customer_id", "level", "block", "currency", name="pk_spendings"),
        sqlite_with_rowid=False,
    )
    op.execute(sa.text(_MONTHS.format(_MONTH[op.get_context().dialect.name]).replace(":", r"\:")))
    op.execute(sa.text(_YEARS))
    op.create_index("ix_spendings_best", "spendings", ["level", "block", "currency", "spent", "customer_id"])
    paid = sa.text("paid_at IS NOT NULL")
    op.create_index(
        "ix_orders_paid_of_customer", "orders", ["customer_id", "paid_at"], sqlite_where=paid, postgresql_where=paid
    )
    if op.get_context().dialect.name == "postgresql":
        op.execute(_STATISTICS)
    for table, which in (("products", "deleted_at IS NULL"), ("email_campaigns", "id > 0")):
        for bucket in ("-1 + 0 * created_at", _DAY, f"-2 - {_DAY} / 16"):
            op.execute(sa.text(_COUNTED.format(table, bucket, which)))
