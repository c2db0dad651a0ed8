"""The table for analytics: sums per quarter of an hour and day."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, Text

from lootkeep.storage.schema.columns import metadata, money, number

# Signed sums; a figure is the sum over its shards, as with the counters.
sales_rollups = Table(
    "sales_rollups",
    metadata,
    # `all`, `status`, `check`, `country`, `tax`, `method` or `product`; the key is the country and so on, empty for
    # none; of a check its level, action and whether it is the latest of its order.
    Column("dimension", Text, primary_key=True),
    # As in `storage/totals/total.py`; the block counts them since the epoch.
    Column("level", BigInteger, primary_key=True, autoincrement=False),
    Column("block", BigInteger, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("currency", Text, primary_key=True),
    Column("shard", BigInteger, primary_key=True, autoincrement=False),
    number("orders"),
    number("items"),
    money("gross"),
    money("discounts"),
    money("gift_cards"),
    money("refunds"),
    number("refunded_orders"),
    number("completed_orders"),
    number("new_customers"),
    # Of paid orders, less that of refunds.
    money("tax"),
    # The series of one product.
    Index(None, "dimension", "key", "level", "block"),
    sqlite_with_rowid=False,
)
