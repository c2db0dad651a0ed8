"""Sources of payment events, and the events, which are their own queue."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Table,
    Text,
    UniqueConstraint,
    text as sql,
)

from lootkeep.storage.schema.columns import (
    flag,
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

_OPEN = sql("status = 'waiting'")
_UNMATCHED = sql("status = 'unmatched'")
_OVER = sql("status != 'unmatched'")

payment_sources = numbered_table(
    "payment_sources",
    text("provider"),
    text("name"),
    # The unguessable word of its URL.
    text("slug", unique=True),
    sealed("secret", "payment source"),
    sealed("previous_secret", "payment source", optional=True),
    instant("previous_secret_until", optional=True),
    flag("is_active"),
    flag("is_test"),
    instant("last_event_at", optional=True),
    instant("created_at"),
    instant("updated_at"),
    # Its events stay.
    instant("deleted_at", optional=True),
    CheckConstraint("provider IN ('stripe', 'paypal')", name="provider"),
)

payment_events = numbered_table(
    "payment_events",
    link("source_id", "payment_sources.id"),
    text("provider_event_id"),
    text("type"),
    text("operation", optional=True),
    text("status"),
    text("reason", optional=True),
    # The order that it was applied to, or compared with.
    link("order_id", "orders.id", optional=True),
    money("amount", optional=True),
    text("currency", optional=True),
    text("payer_email", optional=True),
    # As received.
    sealed("body", "payment event", optional=True),
    # When to try; while a worker holds it, when its lease ends.
    instant("due_at"),
    text("lease", optional=True),
    number("attempts_count"),
    number("failures"),
    instant("created_at"),
    instant("finished_at", optional=True),
    CheckConstraint("status IN ('waiting', 'applied', 'unmatched', 'ignored')", name="status"),
    CheckConstraint("(status = 'waiting') = (finished_at IS NULL)", name="finished_at"),
    CheckConstraint("lease IS NULL OR status = 'waiting'", name="lease"),
    # Received once, however often it is sent.
    UniqueConstraint("source_id", "provider_event_id"),
    partial_index("ix_payment_events_open", _OPEN, "due_at"),
    partial_index("ix_payment_events_unmatched", _UNMATCHED, "id"),
    # Removed when it is old; one that fits no order stays until someone has looked at it.
    partial_index("ix_payment_events_over", _OVER, "finished_at"),
    # The sort order of the list, and its filters in this order.
    Index(None, "source_id", "id"),
    Index(None, "status", "id"),
    Index(None, "order_id", "id"),
    Index(None, "type", "id"),
    Index(None, "payer_email", "id"),
)

# What an event calls its order and its payment.
payment_event_names = Table(
    "payment_event_names",
    metadata,
    Column("name", Text, primary_key=True),
    Column("event_id", BigInteger, ForeignKey("payment_events.id"), primary_key=True, autoincrement=False),
    # For foreign keys.
    Index(None, "event_id"),
)
