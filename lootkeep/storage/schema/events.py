"""The outbox, and the maintained counters."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, Text, text as sql

from lootkeep.storage.schema.columns import document, identity, instant, metadata, number, text

events = Table(
    "events",
    metadata,
    identity(),
    text("type"),
    # The exact bytes of `data` in every delivery.
    document("data"),
    instant("created_at"),
    # When its deliveries were created.
    instant("fanned_out_at", optional=True),
    # The cause: the id of the request, and the W3C trace context if it was traced.
    text("request_id", optional=True),
    text("traceparent", optional=True),
    Index(
        "ix_events_waiting",
        "id",
        sqlite_where=sql("fanned_out_at IS NULL"),
        postgresql_where=sql("fanned_out_at IS NULL"),
    ),
    Index(None, "created_at", "id"),
    sqlite_autoincrement=True,
)

# A total is the sum of its shards: on PostgreSQL concurrent operations would otherwise queue for one row.
counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("shard", BigInteger, primary_key=True, autoincrement=False),
    number("value"),
    sqlite_with_rowid=False,
)
