"""What each webhook subscribed to and when: why nothing was sent is a question about the past."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "webhook_versions",
        sa.Column("id", _ID, nullable=False),
        sa.Column("webhook_id", sa.BigInteger, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_versions"),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name="fk_webhook_versions_webhook_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhook_versions_webhook_id_since", "webhook_versions", ["webhook_id", "since"])
    # What a webhook was before its last change is not known.
    op.execute(
        "INSERT INTO webhook_versions (webhook_id, since, events, is_active) "
        "SELECT id, updated_at, events, is_active FROM webhooks"
    )
