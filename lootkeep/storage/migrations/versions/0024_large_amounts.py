"""From which amount on an order is large, by week; and which engine made a fraud check."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_table(
        "large_amounts",
        sa.Column("week", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("week", "currency", name="pk_large_amounts"),
        sqlite_with_rowid=False,
    )
    # Checks that are there were made by the first engine.
    op.add_column("fraud_checks", sa.Column("engine_version", sa.BigInteger(), server_default="1", nullable=False))
