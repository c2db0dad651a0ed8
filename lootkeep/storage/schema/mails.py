"""Outgoing e-mails: the rows are the queue."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, text as sql

from lootkeep.storage.schema.columns import flag, instant, number, numbered_table, partial_index, sealed, text

_OPEN = sql("finished_at IS NULL")
_FINISHED = sql("finished_at IS NOT NULL")

mails = numbered_table(
    "mails",
    text("kind"),
    text("status"),
    text("to_email"),
    text("to_name"),
    text("from_name", optional=True),
    text("reply_to", optional=True),
    text("subject"),
    # Both parts as one JSON object: an e-mail may contain a gift card code.
    sealed("body", "mail body"),
    # When to send; while a worker holds it, when its lease ends.
    instant("due_at"),
    # The worker's claim; a worker must still hold it to settle.
    text("lease", optional=True),
    number("attempts_count"),
    number("failures"),
    flag("perhaps_twice"),
    text("reason", optional=True),
    instant("created_at"),
    instant("finished_at", optional=True),
    CheckConstraint("status IN ('queued', 'sending', 'sent', 'failed', 'outbox')", name="status"),
    CheckConstraint("(status IN ('queued', 'sending')) = (finished_at IS NULL)", name="finished_at"),
    CheckConstraint("(status = 'sending') = (lease IS NOT NULL)", name="lease"),
    partial_index("ix_mails_due", _OPEN, "due_at"),
    partial_index("ix_mails_finished_at", _FINISHED, "finished_at"),
    Index(None, "status", "id"),
    Index(None, "to_email"),
)
