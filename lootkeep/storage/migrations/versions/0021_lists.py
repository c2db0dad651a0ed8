"""Indexes in the orders of the lists that hold what is filtered, instead of one for each filter."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_DROPPED = {
    "fraud_checks": ("filters",),
    "support_tickets": (
        "created_at_id",
        "status_created_at_id",
        "priority_created_at_id",
        "category_created_at_id",
        "assigned_to_id_created_at_id",
        "last_message_at_id",
        "status_last_message_at_id",
        "assigned_to_id_last_message_at_id",
        "cell",
    ),
    "gift_cards": (
        "created_at_id",
        "balance_id",
        "expires_at_id",
        "kept_status_id",
        "kept_status_created_at_id",
        "kept_status_balance_id",
        "kept_status_expires_at_id",
        "currency_created_at_id",
        "currency_kept_status_created_at_id",
    ),
}
_FILTERED = {
    "support_tickets": ("status", "priority", "category", "assigned_to_id"),
    "gift_cards": ("kept_status", "currency"),
}
_SORTS = {
    "support_tickets": ("created_at", "last_message_at"),
    "gift_cards": ("created_at", "balance", "expires_at", "id"),
}
# With the column, PostgreSQL needs to look at no row to go along the index.
_BY_STOCK = """
    CREATE INDEX ix_products_by_stock ON products (coalesce(stock, 2147483648), id) INCLUDE (stock)
    WHERE deleted_at IS NULL
"""


def upgrade() -> None:
    for table, names in _DROPPED.items():
        for name in names:
            op.drop_index(f"ix_{table}_{name}", table)
    for table, sorts in _SORTS.items():
        for sort in sorts:
            columns = dict.fromkeys((sort, "id", *_FILTERED[table]))
            op.create_index(f"ix_{table}_by_{sort}", table, [*columns])
    if op.get_context().dialect.name == "postgresql":
        op.drop_index("ix_products_by_stock", "products")
        op.execute(sa.text(_BY_STOCK))
