"""Indexes of few rows: blocked checks, which the overview counts by day, and customers whom no e-mail reaches."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    _index("ix_fraud_checks_blocked", "fraud_checks", ["created_at"], "action_taken = 'blocked'")
    _index("ix_customers_unreached", "customers", ["email_status", "status"], "email_status <> 'ok'")


def _index(name: str, table: str, columns: list[str], condition: str) -> None:
    rows = sa.text(condition)
    op.create_index(name, table, columns, sqlite_where=rows, postgresql_where=rows)
