"""The index of customers by consent covers what a preview of a campaign counts: it need not read all customers."""

from alembic import op

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    columns = ["accepts_marketing", "created_at", "id", "status", "email_status"]
    op.create_index("ix_customers_audience", "customers", columns)
    op.drop_index("ix_customers_accepts_marketing_created_at_id", "customers")
