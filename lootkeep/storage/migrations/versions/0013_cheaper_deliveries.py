"""Deliveries and attempts that cost less to write: narrow rows, fewer indexes, a lease that no index holds."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

DELIVERIES = (
    "id, public_id, event_id, webhook_id, event_type, status, priority, due_at, lease, leased_until,"
    " attempts_count, failures, response_code, reason, created_at, finished_at"
)
# What a worker holds was due until then by the old rows; once it is given up it is due at once.
OLD_DELIVERIES = DELIVERIES.replace("leased_until", "CASE WHEN lease IS NULL THEN NULL ELSE due_at END AS leased_until")
ATTEMPTS = "delivery_id, number, outcome, started_at, finished_at, response_code, latency_ms, reason, excerpt"


def upgrade() -> None:
    op.execute(f"CREATE TABLE kept_attempts AS SELECT {ATTEMPTS} FROM attempts")  # noqa: S608
    op.execute(f"CREATE TABLE kept_deliveries AS SELECT {OLD_DELIVERIES} FROM deliveries")  # noqa: S608
    op.drop_table("attempts")
    op.drop_table("deliveries")
    create_deliveries()
    create_attempts()
    for table, columns in (("deliveries", DELIVERIES), ("attempts", ATTEMPTS)):
        op.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM kept_{table}")  # noqa: S608
        op.drop_table(f"kept_{table}")
    if op.get_context().dialect.name == "postgresql":
        op.execute("SELECT setval('deliveries_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM deliveries), false)")


def create_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts_count", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.BigInteger(), nullable=False),
        sa.Column("response_code", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("status IN ('pending', 'delivered', 'failed', 'cancelled')", name="ck_deliveries_status"),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name="fk_deliveries_event_id"),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name="fk_deliveries_webhook_id"),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint("event_id", "webhook_id", name="uq_deliveries_event_id_webhook_id"),
        sa.UniqueConstraint("public_id", name="uq_deliveries_public_id"),
        sqlite_autoincrement=True,
        postgresql_with={"fillfactor": 50},
    )
    pending, finished = sa.text("status = 'pending'"), sa.text("finished_at IS NOT NULL")
    due = ["webhook_id", "priority", "due_at"]
    op.create_index("ix_deliveries_due", "deliveries", due, sqlite_where=pending, postgresql_where=pending)
    op.create_index(
        "ix_deliveries_finished_at", "deliveries", ["finished_at"], sqlite_where=finished, postgresql_where=finished
    )
    op.create_index("ix_deliveries_webhook_id_id", "deliveries", ["webhook_id", "id"])
    op.create_index("ix_deliveries_webhook_id_status_id", "deliveries", ["webhook_id", "status", "id"])


def create_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("delivery_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("response_code", sa.BigInteger(), nullable=True),
        sa.Column("latency_ms", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("excerpt", sa.Text(), nullable=True),
        sa.CheckConstraint("outcome IN ('open', 'delivered', 'failed', 'interrupted')", name="ck_attempts_outcome"),
        sa.ForeignKeyConstraint(["delivery_id"], ["deliveries.id"], name="fk_attempts_delivery_id"),
        sa.PrimaryKeyConstraint("delivery_id", "number", name="pk_attempts"),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 50},
    )
