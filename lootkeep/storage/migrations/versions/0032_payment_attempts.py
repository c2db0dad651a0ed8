"""Payments that were declined, found by customer, device and address."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "payment_attempts",
        sa.Column("id", _ID, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("device_id", sa.Text(), nullable=True),
        sa.Column("ip_network", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_payment_attempts_order_id"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_payment_attempts_customer_id"),
        sa.PrimaryKeyConstraint("id", name="pk_payment_attempts"),
        sa.UniqueConstraint("order_id", "external_id", name="uq_payment_attempts_order_id_external_id"),
        sqlite_autoincrement=True,
    )
    for column in ("order_id", "customer_id", "device_id", "ip_network"):
        op.create_index(f"ix_payment_attempts_{column}_at", "payment_attempts", [column, "at"])
