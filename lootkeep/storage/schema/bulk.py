"""Acts on many records, which are their own queue, and the result of each record."""

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
    text,
)

_OPEN = sql("status = 'waiting'")

bulk_acts = numbered_table(
    "bulk_acts",
    link("user_id", "users.id"),
    text("area"),
    text("name"),
    # A JSON object.
    document("parameters"),
    text("list_query"),
    number("matched"),
    flag("is_all"),
    text("status"),
    money("total"),
    number("done_count"),
    number("refused_count"),
    text("reason", optional=True),
    # When to go on; while a worker holds it, when its lease ends.
    instant("due_at"),
    text("lease", optional=True),
    number("attempts_count"),
    number("failures"),
    instant("created_at"),
    # Of a draft, when it was prepared.
    instant("finished_at", optional=True),
    CheckConstraint("status IN ('draft', 'waiting', 'done', 'stopped')", name="status"),
    CheckConstraint("(status = 'waiting') = (finished_at IS NULL)", name="finished_at"),
    CheckConstraint("lease IS NULL OR status = 'waiting'", name="lease"),
    partial_index("ix_bulk_acts_open", _OPEN, "due_at"),
    Index(None, "finished_at"),
    # For foreign keys.
    Index(None, "user_id"),
)

bulk_rows = numbered_table(
    "bulk_rows",
    link("act_id", "bulk_acts.id"),
    # Of the area of the act; the record may be gone.
    number("record_id"),
    text("status"),
    text("sentence", optional=True),
    # A JSON object.
    text("parameters", optional=True),
    CheckConstraint("status IN ('waiting', 'done', 'refused', 'stopped')", name="status"),
    UniqueConstraint("act_id", "record_id"),
    Index(None, "act_id", "id"),
    partial_index("ix_bulk_rows_open", _OPEN, "act_id", "id"),
)
