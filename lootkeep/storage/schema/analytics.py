"""What analytics reads: sums per quarter of an hour, day and month, who bought on which days, and for how much."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table, Text

from lootkeep.storage.schema.columns import metadata, number

# Signed sums; a figure is the sum over its shards, as with the counters.
sales_rollups = Table(
    "sales_rollups",
    metadata,
    # `all`, `country`, `method` or `product`; the key says which country and so on, empty for none.
    Column("dimension", Text, primary_key=True),
    # 0: quarters of an hour, 1: UTC days, 2: UTC months; the block counts them since the epoch.
    Column("level", BigInteger, primary_key=True, autoincrement=False),
    Column("block", BigInteger, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("currency", Text, primary_key=True),
    Column("shard", BigInteger, primary_key=True, autoincrement=False),
    number("orders"),
    number("items"),
    number("gross"),
    number("discounts"),
    number("gift_cards"),
    number("refunds"),
    number("refunded_orders"),
    number("completed_orders"),
    number("new_customers"),
    # The series of one product.
    Index(None, "dimension", "key", "level", "block"),
    sqlite_with_rowid=False,
)

# Who bought: a bit for each customer. A set of people over many days cannot be summed, but it can be joined.
# The levels are those of the sums, and 3: eights of UTC days.
buyers = Table(
    "buyers",
    metadata,
    Column("level", BigInteger, primary_key=True, autoincrement=False),
    Column("block", BigInteger, primary_key=True, autoincrement=False),
    Column("shard", BigInteger, primary_key=True, autoincrement=False),
    Column("chunk", BigInteger, primary_key=True, autoincrement=False),
    Column("bits", LargeBinary, nullable=False),
)

# What each customer spent on the orders paid in a time, what was given back of them taken off whenever that was.
# The levels are 2: UTC months, and 4: UTC years.
spendings = Table(
    "spendings",
    metadata,
    Column("customer_id", BigInteger, primary_key=True, autoincrement=False),
    Column("level", BigInteger, primary_key=True, autoincrement=False),
    Column("block", BigInteger, primary_key=True, autoincrement=False),
    Column("currency", Text, primary_key=True),
    # Those that were not given back altogether.
    number("orders"),
    number("spent"),
    Index("ix_spendings_best", "level", "block", "currency", "spent", "customer_id"),
    sqlite_with_rowid=False,
)
