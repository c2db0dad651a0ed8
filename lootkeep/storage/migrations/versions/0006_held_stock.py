"""Which lines of an order drew on a stock."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    # What was ordered before is taken to have drawn on the stock, as it was until now.
    op.add_column("order_items", sa.Column("holds_stock", sa.Boolean(), server_default=sa.true(), nullable=False))
