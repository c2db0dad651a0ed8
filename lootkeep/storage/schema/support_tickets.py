"""Support tickets, their messages, and their maintained figures."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Table, Text, text as sql

from lootkeep.storage.schema.columns import flag, instant, link, metadata, number, numbered_table, search_index, text

# How long tickets took, in seconds.
RESPONSE = "(first_response_at - created_at) / 1000000"
RESOLUTION = "(resolved_at - created_at) / 1000000"
_FILTERED = ("status", "priority", "category", "assigned_to_id")


def _taking(name: str, seconds: str, end: str) -> Index:
    """For the medians. PostgreSQL reads an expression from the index alone only if its columns are in the index too."""
    is_over = sql(f"{end} IS NOT NULL")
    return Index(
        f"ix_support_tickets_{name}",
        sql(f"({seconds})"),
        sqlite_where=is_over,
        postgresql_where=is_over,
        postgresql_include=[end, "created_at"],
    )


support_tickets = numbered_table(
    "support_tickets",
    link("customer_id", "customers.id"),
    link("order_id", "orders.id", optional=True),
    text("subject"),
    text("status"),
    text("priority"),
    text("category"),
    link("assigned_to_id", "users.id", optional=True),
    number("messages_count"),
    instant("last_message_at"),
    text("last_message_by"),
    instant("first_response_at", optional=True),
    instant("resolved_at", optional=True),
    instant("closed_at", optional=True),
    number("reopened_count"),
    # Subject, and the customer's name and e-mail, case folded, as the search sees them.
    text("search_text"),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("status IN ('open', 'pending', 'resolved', 'closed')", name="status"),
    CheckConstraint("priority IN ('low', 'normal', 'high', 'urgent')", name="priority"),
    CheckConstraint(
        "category IN ('order', 'payment', 'delivery', 'account', 'refund', 'technical', 'other')", name="category"
    ),
    CheckConstraint("last_message_by IN ('customer', 'staff')", name="last_message_by"),
    CheckConstraint("(status IN ('resolved', 'closed')) = (resolved_at IS NOT NULL)", name="resolved_at"),
    CheckConstraint("(status = 'closed') = (closed_at IS NOT NULL)", name="closed_at"),
    CheckConstraint("first_response_at >= created_at AND resolved_at >= created_at", name="times"),
    # The sort orders of the list, each with the columns that are filtered along the way.
    Index("ix_support_tickets_by_created_at", "created_at", "id", *_FILTERED),
    Index("ix_support_tickets_by_last_message_at", "last_message_at", "id", *_FILTERED),
    Index(None, "customer_id", "created_at", "id"),
    Index(None, "order_id"),
    Index(None, "closed_at"),
    _taking("response", RESPONSE, "first_response_at"),
    _taking("resolution", RESOLUTION, "resolved_at"),
    search_index(),
)

canned_replies = numbered_table(
    "canned_replies",
    text("name", unique=True),
    text("body"),
    instant("created_at"),
    instant("updated_at"),
)

ticket_messages = numbered_table(
    "ticket_messages",
    link("ticket_id", "support_tickets.id"),
    text("author_type"),
    link("user_id", "users.id", optional=True),
    # The author's name when the message was written.
    text("author_name"),
    text("body"),
    flag("is_internal"),
    instant("created_at"),
    CheckConstraint("author_type IN ('customer', 'staff', 'system')", name="author_type"),
    CheckConstraint("author_type <> 'customer' OR NOT is_internal", name="is_internal"),
    Index(None, "ticket_id", "id"),
)

# The totals of the tickets of a cell: one row per kind of ticket and agent.
ticket_figures = Table(
    "ticket_figures",
    metadata,
    # 0 is nobody.
    Column("agent", BigInteger, primary_key=True, autoincrement=False),
    Column("status", Text, primary_key=True),
    Column("priority", Text, primary_key=True),
    Column("category", Text, primary_key=True),
    # On PostgreSQL concurrent operations would otherwise queue for one row.
    Column("shard", BigInteger, primary_key=True, autoincrement=False),
    number("tickets"),
    number("responded"),
    number("response_seconds"),
    number("resolved"),
    number("resolution_seconds"),
    sqlite_with_rowid=False,
)
