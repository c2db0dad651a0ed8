"""An index of the fraud checks that wait for a review."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

_WAITS = sa.text("review_outcome IS NULL AND action_taken <> 'allowed'")


def upgrade() -> None:
    op.create_index(
        "ix_fraud_checks_waiting", "fraud_checks", ["created_at", "id"], sqlite_where=_WAITS, postgresql_where=_WAITS
    )
