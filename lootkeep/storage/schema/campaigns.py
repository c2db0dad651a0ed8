"""E-mail campaigns and their recipients."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, UniqueConstraint, text as sql

from lootkeep.storage.schema.columns import (
    document,
    flag,
    instant,
    link,
    number,
    numbered_table,
    partial_index,
    search_index,
    text,
)

_SCHEDULED = sql("status = 'scheduled'")
_SENDING = sql("status = 'sending'")
_OPEN = sql("status IN ('queued', 'sending')")

email_campaigns = numbered_table(
    "email_campaigns",
    text("name"),
    text("subject"),
    text("preview_text", optional=True),
    text("from_name", optional=True),
    text("reply_to", optional=True),
    text("body_html", optional=True),
    text("body_text", optional=True),
    text("body_markdown", optional=True),
    # The text was generated from the HTML, and is generated again when that changes.
    flag("is_text_derived"),
    # The targets of the links in the HTML: a JSON array in which a clicked link is looked up.
    document("links"),
    # A JSON object.
    document("audience"),
    text("status"),
    instant("scheduled_at", optional=True),
    number("recipients_count"),
    number("sent_count"),
    number("failed_count"),
    number("skipped_count"),
    number("outbox_count"),
    number("perhaps_twice_count"),
    number("opened_count"),
    number("clicked_count"),
    number("unsubscribed_count"),
    # What prevents it, or why it failed, as a sentence.
    text("error", optional=True),
    # When the next e-mail may be sent: the pace, which all processes share.
    instant("next_at"),
    instant("started_at", optional=True),
    instant("completed_at", optional=True),
    # Stored without a reference: the original may be deleted.
    number("duplicated_from_id", optional=True),
    # Name and subject, case folded, as the search sees them.
    text("search_text"),
    instant("created_at"),
    instant("updated_at"),
    Column("referral_clicks_count", BigInteger, nullable=False, server_default="0"),
    CheckConstraint("status IN ('draft', 'scheduled', 'sending', 'sent', 'cancelled', 'failed')", name="status"),
    CheckConstraint("status <> 'scheduled' OR scheduled_at IS NOT NULL", name="scheduled_at"),
    CheckConstraint(
        "sent_count + failed_count + skipped_count + outbox_count BETWEEN 0 AND recipients_count", name="counts"
    ),
    partial_index("ix_email_campaigns_scheduled", _SCHEDULED, "scheduled_at"),
    partial_index("ix_email_campaigns_sending", _SENDING, "next_at"),
    Index(None, "created_at", "id"),
    Index(None, "status", "created_at", "id"),
    Index(None, "name", "id"),
    search_index(),
)

campaign_recipients = numbered_table(
    "campaign_recipients",
    link("campaign_id", "email_campaigns.id"),
    link("customer_id", "customers.id"),
    text("email"),
    text("status"),
    # When to send; while a worker holds it, when its lease ends.
    instant("due_at"),
    text("lease", optional=True),
    number("attempts_count"),
    number("failures"),
    flag("perhaps_twice"),
    text("reason", optional=True),
    instant("finished_at", optional=True),
    instant("opened_at", optional=True),
    instant("clicked_at", optional=True),
    instant("unsubscribed_at", optional=True),
    # How often the referral link of this e-mail was clicked, by the recipient or by friends.
    Column("referral_clicks", BigInteger, nullable=False, server_default="0"),
    CheckConstraint(
        "status IN ('queued', 'sending', 'sent', 'failed', 'skipped', 'outbox', 'cancelled')", name="status"
    ),
    CheckConstraint("(status = 'sending') = (lease IS NOT NULL)", name="lease"),
    UniqueConstraint("campaign_id", "email"),
    Index(None, "customer_id"),
    partial_index("ix_campaign_recipients_due", _OPEN, "due_at", "id"),
)
