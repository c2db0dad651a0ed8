"""Subscriptions, orders with their items, and refunds."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "subscriptions",
        sa.Column("id", ID, nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("product_id", sa.BigInteger(), nullable=False),
        sa.Column("product_name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("interval", sa.Text(), nullable=False),
        sa.Column("interval_count", sa.BigInteger(), nullable=False),
        sa.Column("current_period_start", sa.BigInteger(), nullable=False),
        sa.Column("current_period_end", sa.BigInteger(), nullable=False),
        sa.Column("cancel_at_period_end", sa.Boolean(), nullable=False),
        sa.Column("cancelled_at", sa.BigInteger(), nullable=True),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("renewals_count", sa.BigInteger(), nullable=False),
        sa.Column("latest_order_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("status IN ('active', 'cancelled', 'expired')", name="ck_subscriptions_status"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_subscriptions_customer_id"),
        sa.ForeignKeyConstraint(["product_id"], ["products.id"], name="fk_subscriptions_product_id"),
        sa.PrimaryKeyConstraint("id", name="pk_subscriptions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_subscriptions_customer_id", "subscriptions", ["customer_id"])
    ending = sa.text("status = 'active' AND ends_at IS NOT NULL")
    op.create_index(
        "ix_subscriptions_ending", "subscriptions", ["ends_at"], sqlite_where=ending, postgresql_where=ending
    )
    op.create_index("ix_subscriptions_product_id_status", "subscriptions", ["product_id", "status"])
    op.create_table(
        "orders",
        sa.Column("id", ID, nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("subtotal", sa.BigInteger(), nullable=False),
        sa.Column("discount_total", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("gift_card_total", sa.BigInteger(), nullable=False),
        sa.Column("refunded_total", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("coupon_id", sa.BigInteger(), nullable=True),
        sa.Column("coupon_code", sa.Text(), nullable=True),
        sa.Column("referral_code", sa.Text(), nullable=True),
        sa.Column("subscription_id", sa.BigInteger(), nullable=True),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("transaction_id", sa.Text(), nullable=True),
        sa.Column("ip_address", sa.Text(), nullable=True),
        sa.Column("billing_country", sa.Text(), nullable=True),
        sa.Column("user_agent", sa.Text(), nullable=True),
        sa.Column("device_id", sa.Text(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("paid_at", sa.BigInteger(), nullable=True),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.Column("cancelled_at", sa.BigInteger(), nullable=True),
        sa.Column("refunded_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(status IN ('pending', 'on_hold', 'cancelled')) = (paid_at IS NULL)", name="ck_orders_paid_at"
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'on_hold', 'paid', 'completed', 'partially_refunded', 'refunded', 'cancelled')",
            name="ck_orders_status",
        ),
        sa.CheckConstraint(
            "discount_total BETWEEN 0 AND subtotal AND total = subtotal - discount_total", name="ck_orders_total"
        ),
        sa.CheckConstraint("gift_card_total BETWEEN 0 AND total", name="ck_orders_gift_card_total"),
        sa.CheckConstraint("refunded_total BETWEEN 0 AND total", name="ck_orders_refunded_total"),
        sa.ForeignKeyConstraint(["coupon_id"], ["coupons.id"], name="fk_orders_coupon_id"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_orders_customer_id"),
        sa.ForeignKeyConstraint(["subscription_id"], ["subscriptions.id"], name="fk_orders_subscription_id"),
        sa.PrimaryKeyConstraint("id", name="pk_orders"),
        sa.UniqueConstraint("external_id", name="uq_orders_external_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_orders_created_at_id", "orders", ["created_at", "id"])
    op.create_index("ix_orders_customer_id_created_at", "orders", ["customer_id", "created_at"])
    op.create_index("ix_orders_status_created_at_id", "orders", ["status", "created_at", "id"])
    op.create_table(
        "order_items",
        sa.Column("id", ID, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.Column("product_id", sa.BigInteger(), nullable=False),
        sa.Column("product_name", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=True),
        sa.Column("delivery_type", sa.Text(), nullable=False),
        sa.Column("quantity", sa.BigInteger(), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("fulfilled_quantity", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("fulfilled_quantity BETWEEN 0 AND quantity", name="ck_order_items_fulfilled_quantity"),
        sa.CheckConstraint("quantity >= 1 AND total = price * quantity", name="ck_order_items_total"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_order_items_order_id"),
        sa.ForeignKeyConstraint(["product_id"], ["products.id"], name="fk_order_items_product_id"),
        sa.PrimaryKeyConstraint("id", name="pk_order_items"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_order_items_order_id", "order_items", ["order_id"])
    op.create_index("ix_order_items_product_id_order_id", "order_items", ["product_id", "order_id"])
    op.create_table(
        "refunds",
        sa.Column("id", ID, nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("amount >= 1", name="ck_refunds_amount"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_refunds_order_id"),
        sa.PrimaryKeyConstraint("id", name="pk_refunds"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_refunds_order_id", "refunds", ["order_id"])
