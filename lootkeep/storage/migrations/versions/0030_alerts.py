"""Alerts, and what waits to be sent by them."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_WAITING = sa.text("sent_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", _ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("triggers", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("minutes", sa.BigInteger(), nullable=False),
        sa.Column("limit_per_hour", sa.BigInteger(), nullable=False),
        sa.Column("muted_until", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("attempts_count", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("perhaps_twice", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("hour_started_at", sa.BigInteger(), nullable=False),
        sa.Column("sent_in_hour", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("channel IN ('discord', 'slack', 'email', 'webhook')", name="ck_alerts_channel"),
        sa.CheckConstraint("status IN ('idle', 'queued', 'sending')", name="ck_alerts_status"),
        sa.CheckConstraint("(status = 'sending') = (lease IS NOT NULL)", name="ck_alerts_lease"),
        sa.PrimaryKeyConstraint("id", name="pk_alerts"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "alert_notices",
        sa.Column("id", _ID, nullable=False),
        sa.Column("alert_id", sa.BigInteger(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["alert_id"], ["alerts.id"], name="fk_alert_notices_alert_id"),
        sa.PrimaryKeyConstraint("id", name="pk_alert_notices"),
        sa.UniqueConstraint("alert_id", "key", name="uq_alert_notices_alert_id_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_alert_notices_created_at", "alert_notices", ["created_at"])
    op.create_index(
        "ix_alert_notices_waiting",
        "alert_notices",
        ["alert_id", "id"],
        sqlite_where=_WAITING,
        postgresql_where=_WAITING,
    )
