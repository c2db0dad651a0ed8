"""Indexes that tell all that is asked of them, and totals kept by blocks of days."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

# Each total by day is added to its block of 16 days, whose buckets lie below that of the whole total.
_BLOCKS = """
    INSERT INTO counters (name, bucket, shard, value)
    SELECT name, -2 - bucket / 16, shard, sum(value) FROM counters WHERE bucket >= 0 GROUP BY 1, 2, 3
"""


def upgrade() -> None:
    op.drop_index("ix_fraud_checks_created_at_id", "fraud_checks")
    op.create_index(
        "ix_fraud_checks_times", "fraud_checks", ["created_at", "id", "risk_level", "action_taken", "is_reviewed"]
    )
    op.drop_index("ix_sightings_kind_value_last_seen_at", "sightings")
    op.create_index("ix_sightings_seen", "sightings", ["kind", "value", "last_seen_at", "customer_id", "first_seen_at"])
    op.execute(sa.text(_BLOCKS))
