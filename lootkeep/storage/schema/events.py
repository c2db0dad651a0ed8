"""The outbox, and the maintained counters."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Table, Text, text as sql

from lootkeep.storage.schema.columns import document, instant, metadata, number, numbered_table, partial_index, text

events = numbered_table(
    "events",
    text("type"),
    # The exact bytes of `data` in every delivery.
    document("data"),
    instant("created_at"),
    # When its deliveries were created.
    instant("fanned_out_at", optional=True),
    # The cause: the id of the request, and the W3C trace context if it was traced.
    text("request_id", optional=True),
    text("traceparent", optional=True),
    partial_index("ix_events_waiting", sql("fanned_out_at IS NULL"), "id"),
    Index(None, "created_at", "id"),
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
