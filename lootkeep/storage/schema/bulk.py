"""Acts on many records, which are their own queue, and the result of each record."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, Table, UniqueConstraint, text as sql

from lootkeep.storage.schema.columns import document, flag, identity, instant, link, metadata, money, number, text

_OPEN = sql("status = 'waiting'")

bulk_acts = Table(
    "bulk_acts",
    metadata,
    identity(),
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
    Index("ix_bulk_acts_open", "due_at", sqlite_where=_OPEN, postgresql_where=_OPEN),
    Index(None, "finished_at"),
    # For foreign keys.
    Index(None, "user_id"),
    sqlite_autoincrement=True,
)

bulk_rows = Table(
    "bulk_rows",
    metadata,
    identity(),
    link("act_id", "bulk_acts.id"),
    # Of the area of the act; the record may be gone.
    number("record_id"),
    text("status"),
    text("sentence", optional=True),
    CheckConstraint("status IN ('waiting', 'done', 'refused', 'stopped')", name="status"),
    UniqueConstraint("act_id", "record_id"),
    Index(None, "act_id", "id"),
    Index("ix_bulk_rows_open", "act_id", "id", sqlite_where=_OPEN, postgresql_where=_OPEN),
    sqlite_autoincrement=True,
)
