"""The queue of outgoing mail."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

POSTGRESQL_WAKEUP = (
    "CREATE TRIGGER mails_wake_workers AFTER INSERT ON mails "
    "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_wake_workers()"
)


def upgrade() -> None:
    op.create_table(
        "mails",
        sa.Column("id", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("to_email", sa.Text(), nullable=False),
        sa.Column("to_name", sa.Text(), nullable=False),
        sa.Column("from_name", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("attempts_count", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("perhaps_twice", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("status IN ('queued', 'sending', 'sent', 'failed', 'outbox')", name="ck_mails_status"),
        sa.CheckConstraint("(status IN ('queued', 'sending')) = (finished_at IS NULL)", name="ck_mails_finished_at"),
        sa.CheckConstraint("(status = 'sending') = (lease IS NOT NULL)", name="ck_mails_lease"),
        sa.PrimaryKeyConstraint("id", name="pk_mails"),
        sqlite_autoincrement=True,
    )
    waiting = sa.text("status IN ('queued', 'sending')")
    op.create_index("ix_mails_due", "mails", ["due_at"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_index("ix_mails_finished_at", "mails", ["finished_at"])
    op.create_index("ix_mails_status_id", "mails", ["status", "id"])
    if op.get_context().dialect.name == "postgresql":
        op.execute(POSTGRESQL_WAKEUP)
