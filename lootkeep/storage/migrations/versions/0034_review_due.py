"""Who reviews a fraud check, until when, and what is at stake."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"

_WAITS = "review_outcome IS NULL AND action_taken <> 'allowed'"
_IS_DUE = sa.text("due_at IS NOT NULL AND review_outcome IS NULL AND action_taken = 'verification_required'")
# By whole tens of points, for what waits now: ten points double the odds, one in a hundred without any.
_LOSS = f"""
    UPDATE fraud_checks SET expected_loss = (
        SELECT total * (1 << CAST(risk_score / 10 AS INTEGER)) / (99 + (1 << CAST(risk_score / 10 AS INTEGER)))
        FROM orders WHERE orders.id = fraud_checks.order_id
    ) WHERE {_WAITS}
"""  # noqa: S608


def upgrade() -> None:
    op.add_column("fraud_checks", sa.Column("owner_id", sa.BigInteger(), nullable=True))
    op.add_column("fraud_checks", sa.Column("due_at", sa.BigInteger(), nullable=True))
    op.add_column("fraud_checks", sa.Column("expected_loss", sa.BigInteger(), server_default="0", nullable=False))
    op.execute(sa.text(_LOSS))
    waits = sa.text(_WAITS)
    op.create_index(
        "ix_fraud_checks_loss", "fraud_checks", ["expected_loss", "id"], sqlite_where=waits, postgresql_where=waits
    )
    op.create_index("ix_fraud_checks_due", "fraud_checks", ["due_at"], sqlite_where=_IS_DUE, postgresql_where=_IS_DUE)
