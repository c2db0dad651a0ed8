"""Which request, and which trace, an event was caused by."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    for name in ("request_id", "traceparent"):
        op.add_column("events", sa.Column(name, sa.Text(), nullable=True))
