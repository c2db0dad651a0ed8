"""Alerts, each a row of its queue, and the notices they will send."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text as sql

from lootkeep.storage.schema.columns import (
    document,
    flag,
    instant,
    link,
    money,
    number,
    numbered_table,
    partial_index,
    sealed,
    text,
)

_WAITING = sql("sent_at IS NULL")

alerts = numbered_table(
    "alerts",
    text("name"),
    text("channel"),
    sealed("target", "alert target"),
    # A JSON array.
    document("triggers"),
    money("amount", optional=True),
    number("minutes"),
    number("limit_per_hour"),
    instant("muted_until", optional=True),
    text("status"),
    # When to check it again; while a worker holds it, when its lease ends.
    instant("due_at"),
    text("lease", optional=True),
    number("attempts_count"),
    number("failures"),
    flag("perhaps_twice"),
    text("reason", optional=True),
    # When the last message was sent.
    instant("finished_at", optional=True),
    instant("hour_started_at"),
    number("sent_in_hour"),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("channel IN ('discord', 'slack', 'email', 'webhook')", name="channel"),
    CheckConstraint("status IN ('idle', 'queued', 'sending')", name="status"),
    CheckConstraint("(status = 'sending') = (lease IS NOT NULL)", name="lease"),
)

alert_notices = numbered_table(
    "alert_notices",
    link("alert_id", "alerts.id"),
    text("trigger"),
    # Its subject: the same key is sent once.
    text("key"),
    text("text"),
    text("path"),
    instant("created_at"),
    instant("sent_at", optional=True),
    UniqueConstraint("alert_id", "key"),
    partial_index("ix_alert_notices_waiting", _WAITING, "alert_id", "id"),
    Index(None, "created_at"),
)
