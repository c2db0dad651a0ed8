"""E-mail campaigns and their recipients."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

POSTGRESQL_SEARCH = (
    "CREATE INDEX ix_email_campaigns_search_text ON email_campaigns USING gin (search_text gin_trgm_ops)"
)
SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE email_campaigns_search USING fts5 (search_text, content='email_campaigns', content_rowid='id', "
    "tokenize='trigram case_sensitive 1')",
    "CREATE TRIGGER email_campaigns_search_added AFTER INSERT ON email_campaigns BEGIN "
    "INSERT INTO email_campaigns_search (rowid, search_text) VALUES (new.id, new.search_text); END",
    "CREATE TRIGGER email_campaigns_search_removed AFTER DELETE ON email_campaigns BEGIN "
    "INSERT INTO email_campaigns_search (email_campaigns_search, rowid, search_text) "
    "VALUES ('delete', old.id, old.search_text); END",
    "CREATE TRIGGER email_campaigns_search_changed AFTER UPDATE OF search_text ON email_campaigns BEGIN "
    "INSERT INTO email_campaigns_search (email_campaigns_search, rowid, search_text) "
    "VALUES ('delete', old.id, old.search_text); "
    "INSERT INTO email_campaigns_search (rowid, search_text) VALUES (new.id, new.search_text); END",
)


def upgrade() -> None:
    op.create_table(
        "email_campaigns",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("preview_text", sa.Text(), nullable=True),
        sa.Column("from_name", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("body_html", sa.Text(), nullable=True),
        sa.Column("body_text", sa.Text(), nullable=True),
        sa.Column("is_text_derived", sa.Boolean(), nullable=False),
        sa.Column("links", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("scheduled_at", sa.BigInteger(), nullable=True),
        sa.Column("recipients_count", sa.BigInteger(), nullable=False),
        sa.Column("sent_count", sa.BigInteger(), nullable=False),
        sa.Column("failed_count", sa.BigInteger(), nullable=False),
        sa.Column("skipped_count", sa.BigInteger(), nullable=False),
        sa.Column("outbox_count", sa.BigInteger(), nullable=False),
        sa.Column("perhaps_twice_count", sa.BigInteger(), nullable=False),
        sa.Column("opened_count", sa.BigInteger(), nullable=False),
        sa.Column("clicked_count", sa.BigInteger(), nullable=False),
        sa.Column("unsubscribed_count", sa.BigInteger(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.Column("duplicated_from_id", sa.BigInteger(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "status IN ('draft', 'scheduled', 'sending', 'sent', 'cancelled', 'failed')",
            name="ck_email_campaigns_status",
        ),
        sa.CheckConstraint("status <> 'scheduled' OR scheduled_at IS NOT NULL", name="ck_email_campaigns_scheduled_at"),
        sa.CheckConstraint(
            "sent_count + failed_count + skipped_count + outbox_count BETWEEN 0 AND recipients_count",
            name="ck_email_campaigns_counts",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_email_campaigns"),
        sqlite_autoincrement=True,
    )
    for name, column in (("scheduled", "scheduled_at"), ("sending", "next_at")):
        state = sa.text(f"status = '{name}'")
        op.create_index(
            f"ix_email_campaigns_{name}", "email_campaigns", [column], sqlite_where=state, postgresql_where=state
        )
    for columns in (["created_at", "id"], ["status", "created_at", "id"], ["name", "id"]):
        op.create_index(f"ix_email_campaigns_{'_'.join(columns)}", "email_campaigns", columns)
    op.create_table(
        "campaign_recipients",
        sa.Column("id", ID, nullable=False),
        sa.Column("campaign_id", sa.BigInteger(), nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("attempts_count", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("perhaps_twice", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("opened_at", sa.BigInteger(), nullable=True),
        sa.Column("clicked_at", sa.BigInteger(), nullable=True),
        sa.Column("unsubscribed_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "status IN ('queued', 'sending', 'sent', 'failed', 'skipped', 'outbox', 'cancelled')",
            name="ck_campaign_recipients_status",
        ),
        sa.CheckConstraint("(status = 'sending') = (lease IS NOT NULL)", name="ck_campaign_recipients_lease"),
        sa.ForeignKeyConstraint(["campaign_id"], ["email_campaigns.id"], name="fk_campaign_recipients_campaign_id"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_campaign_recipients_customer_id"),
        sa.PrimaryKeyConstraint("id", name="pk_campaign_recipients"),
        sa.UniqueConstraint("campaign_id", "email", name="uq_campaign_recipients_campaign_id_email"),
        sqlite_autoincrement=True,
    )
    waiting = sa.text("status IN ('queued', 'sending')")
    op.create_index(
        "ix_campaign_recipients_due",
        "campaign_recipients",
        ["due_at", "id"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
    if op.get_context().dialect.name == "postgresql":
        op.execute(POSTGRESQL_SEARCH)
    else:
        for statement in SQLITE_SEARCH:
            op.execute(statement)
