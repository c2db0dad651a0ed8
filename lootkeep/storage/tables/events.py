"""The outbox, and the counters that are kept while writing."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from lootkeep.storage.tables.columns import identity, metadata, number, text

events = Table(
    "events",
    metadata,
    identity(),
    text("type"),
    # The exact bytes of `data` as every delivery will carry them.
    text("data"),
    number("created_at"),
    sqlite_autoincrement=True,
)

# A total is the sum of its shards: on PostgreSQL concurrent deeds would otherwise queue for one row.
counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    # The day, or -1 for the total of all days.
    Column("bucket", BigInteger, primary_key=True, autoincrement=False),
    Column("shard", BigInteger, primary_key=True, autoincrement=False),
    number("value"),
    sqlite_with_rowid=False,
)
