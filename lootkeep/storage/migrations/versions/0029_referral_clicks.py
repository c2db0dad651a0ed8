"""How often the referral links of campaigns were followed."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    for table, column in (("email_campaigns", "referral_clicks_count"), ("campaign_recipients", "referral_clicks")):
        op.add_column(table, sa.Column(column, sa.BigInteger(), server_default="0", nullable=False))
