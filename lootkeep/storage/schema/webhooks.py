"""Webhooks, their deliveries with every attempt, and replays."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, UniqueConstraint, text as sql

from lootkeep.storage.schema.columns import (
    document,
    flag,
    identity,
    instant,
    link,
    metadata,
    money,
    number,
    numbered_table,
    partial_index,
    sealed,
    text,
)

webhooks = numbered_table(
    "webhooks",
    text("url"),
    # A JSON array of event types.
    document("events"),
    flag("is_active"),
    # The previous one stays valid for a while after the secret was replaced.
    sealed("secret", "webhook secret"),
    sealed("previous_secret", "webhook secret", optional=True),
    instant("previous_secret_until", optional=True),
    instant("created_at"),
    instant("updated_at"),
    instant("deleted_at", optional=True),
    # A JSON array of names, and a JSON object with their values.
    document("header_names"),
    sealed("sealed_headers", "webhook headers", optional=True),
    # In the language of rules.
    text("filter", optional=True),
)

# The subscription from a time on: it explains why an event was not sent in the past.
webhook_versions = numbered_table(
    "webhook_versions",
    link("webhook_id", "webhooks.id"),
    instant("since"),
    document("events"),
    flag("is_active"),
    text("filter", optional=True),
    Index(None, "webhook_id", "since"),
)

_PENDING = sql("status = 'pending'")
_FINISHED = sql("finished_at IS NOT NULL")

# Written three times for each delivery, so it is narrow and its claim touches no index: the body is built from the
# event's data when needed, with the same bytes each time.
deliveries = Table(
    "deliveries",
    metadata,
    identity(),
    # `wh_<uuid>`: the id of the delivery for the receiver, the same for all attempts.
    text("public_id", unique=True),
    link("event_id", "events.id"),
    link("webhook_id", "webhooks.id"),
    text("event_type"),
    text("status"),
    # 0 for a first attempt, 1 for a retry: retries wait behind.
    number("priority"),
    # When to send.
    instant("due_at"),
    # The worker's claim, and when its lease ends; a worker must still hold it to settle.
    text("lease", optional=True),
    instant("leased_until", optional=True),
    number("attempts_count"),
    # Failures since the first attempt or the last redelivery: the position in the retry schedule.
    number("failures"),
    number("response_code", optional=True),
    text("reason", optional=True),
    instant("created_at"),
    instant("finished_at", optional=True),
    CheckConstraint("status IN ('pending', 'delivered', 'failed', 'cancelled')", name="status"),
    UniqueConstraint("event_id", "webhook_id"),
    partial_index("ix_deliveries_due", _PENDING, "webhook_id", "priority", "due_at"),
    Index(None, "webhook_id", "id"),
    Index(None, "webhook_id", "status", "id"),
    partial_index("ix_deliveries_finished_at", _FINISHED, "finished_at"),
    sqlite_autoincrement=True,
    # Space in each page for the row versions that claiming and settling write.
    postgresql_with={"fillfactor": 50},
)

attempts = Table(
    "attempts",
    metadata,
    # An attempt number is used once, no matter when a worker dies.
    Column("delivery_id", BigInteger, ForeignKey("deliveries.id"), primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    text("outcome"),
    instant("started_at"),
    instant("finished_at", optional=True),
    number("response_code", optional=True),
    number("latency_ms", optional=True),
    text("reason", optional=True),
    text("excerpt", optional=True),
    CheckConstraint("outcome IN ('open', 'delivered', 'failed', 'interrupted')", name="outcome"),
    sqlite_with_rowid=False,
    postgresql_with={"fillfactor": 50},
)

replays = numbered_table(
    "replays",
    link("webhook_id", "webhooks.id"),
    instant("since"),
    # A JSON array.
    document("event_types"),
    # The last event that existed when the replay was requested, and the last that was sent again.
    number("last_event_id"),
    number("cursor"),
    money("total"),
    number("done"),
    instant("created_at"),
    instant("finished_at", optional=True),
    Index(None, "webhook_id", "id"),
)
