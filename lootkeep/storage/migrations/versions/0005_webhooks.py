"""Webhooks, deliveries with their attempts, replays, and which events still wait to be fanned out."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# A hint for the workers, told when the transaction commits; losing it loses nothing.
POSTGRESQL_WAKEUP = (
    "CREATE FUNCTION lootkeep_wake_workers() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN PERFORM pg_notify('lootkeep_work', ''); RETURN NULL; END $$",
    "CREATE TRIGGER events_wake_workers AFTER INSERT ON events "
    "FOR EACH STATEMENT EXECUTE FUNCTION lootkeep_wake_workers()",
)


def upgrade() -> None:
    op.add_column("events", sa.Column("fanned_out_at", sa.BigInteger(), nullable=True))
    waiting = sa.text("fanned_out_at IS NULL")
    op.create_index("ix_events_waiting", "events", ["id"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_index("ix_events_created_at_id", "events", ["created_at", "id"])
    op.create_table(
        "webhooks",
        sa.Column("id", ID, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("previous_secret", sa.Text(), nullable=True),
        sa.Column("previous_secret_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "deliveries",
        sa.Column("id", ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease", sa.Text(), nullable=True),
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
    )
    op.create_index(
        "ix_deliveries_due",
        "deliveries",
        ["webhook_id", "priority", "due_at"],
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index("ix_deliveries_finished_at", "deliveries", ["finished_at"])
    op.create_index(
        "ix_deliveries_next",
        "deliveries",
        ["due_at"],
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index("ix_deliveries_webhook_id_id", "deliveries", ["webhook_id", "id"])
    op.create_index("ix_deliveries_webhook_id_status_id", "deliveries", ["webhook_id", "status", "id"])
    op.create_table(
        "replays",
        sa.Column("id", ID, nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("event_types", sa.Text(), nullable=False),
        sa.Column("last_event_id", sa.BigInteger(), nullable=False),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name="fk_replays_webhook_id"),
        sa.PrimaryKeyConstraint("id", name="pk_replays"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_replays_webhook_id_id", "replays", ["webhook_id", "id"])
    op.create_table(
        "attempts",
        sa.Column("id", ID, nullable=False),
        sa.Column("delivery_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("response_code", sa.BigInteger(), nullable=True),
        sa.Column("latency_ms", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("excerpt", sa.Text(), nullable=True),
        sa.CheckConstraint("outcome IN ('open', 'delivered', 'failed', 'interrupted')", name="ck_attempts_outcome"),
        sa.ForeignKeyConstraint(["delivery_id"], ["deliveries.id"], name="fk_attempts_delivery_id"),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
        sa.UniqueConstraint("delivery_id", "number", name="uq_attempts_delivery_id_number"),
        sqlite_autoincrement=True,
    )
    if op.get_context().dialect.name == "postgresql":
        for statement in POSTGRESQL_WAKEUP:
            op.execute(statement)
