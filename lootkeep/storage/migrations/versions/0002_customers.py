"""Customers with their search and identity store, products, the outbox and the counters."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Search on SQLite: a trigram index beside the table, kept by triggers.
_LEAVE = (
    "INSERT INTO customers_search (customers_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
)
_ENTER = "INSERT INTO customers_search (rowid, search_text) VALUES (new.id, new.search_text);"
SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE customers_search USING fts5 (search_text, content='customers', content_rowid='id', "
    "tokenize='trigram case_sensitive 1')",
    f"CREATE TRIGGER customers_search_added AFTER INSERT ON customers BEGIN {_ENTER} END",
    f"CREATE TRIGGER customers_search_removed AFTER DELETE ON customers BEGIN {_LEAVE} END",
    f"CREATE TRIGGER customers_search_changed AFTER UPDATE OF search_text ON customers BEGIN {_LEAVE} {_ENTER} END",
)


def upgrade() -> None:
    is_postgresql = op.get_context().dialect.name == "postgresql"
    if is_postgresql:
        op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bucket", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("shard", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", "bucket", "shard", name="pk_counters"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_counters_totals",
        "counters",
        ["name", "shard"],
        sqlite_where=sa.text("bucket = -1"),
        postgresql_where=sa.text("bucket = -1"),
    )
    op.create_table(
        "customers",
        sa.Column("id", ID, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("accepts_marketing", sa.Boolean(), nullable=False),
        sa.Column("email_status", sa.Text(), nullable=False),
        sa.Column("referral_code", sa.Text(), nullable=False),
        sa.Column("referred_by_id", sa.BigInteger(), nullable=True),
        sa.Column("orders_count", sa.BigInteger(), nullable=False),
        sa.Column("total_spent", sa.BigInteger(), nullable=False),
        sa.Column("first_order_at", sa.BigInteger(), nullable=True),
        sa.Column("last_order_at", sa.BigInteger(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("status IN ('active', 'blocked')", name="ck_customers_status"),
        sa.CheckConstraint("orders_count >= 0 AND total_spent >= 0", name="ck_customers_totals"),
        sa.ForeignKeyConstraint(["referred_by_id"], ["customers.id"], name="fk_customers_referred_by_id"),
        sa.PrimaryKeyConstraint("id", name="pk_customers"),
        sa.UniqueConstraint("email", name="uq_customers_email"),
        sa.UniqueConstraint("external_id", name="uq_customers_external_id"),
        sa.UniqueConstraint("referral_code", name="uq_customers_referral_code"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_customers_created_at_id", "customers", ["created_at", "id"])
    if is_postgresql:
        op.create_index(
            "ix_customers_search_text",
            "customers",
            ["search_text"],
            postgresql_using="gin",
            postgresql_ops={"search_text": "gin_trgm_ops"},
        )
    op.create_table(
        "events",
        sa.Column("id", ID, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "products",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("delivery_type", sa.Text(), nullable=False),
        sa.Column("billing_type", sa.Text(), nullable=False),
        sa.Column("billing_interval", sa.Text(), nullable=True),
        sa.Column("billing_interval_count", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("price", sa.BigInteger(), nullable=False),
        sa.Column("compare_at_price", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("stock", sa.BigInteger(), nullable=True),
        sa.Column("max_per_order", sa.BigInteger(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("image_url", sa.Text(), nullable=True),
        sa.Column("sales_count", sa.BigInteger(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(billing_type = 'one_time' AND billing_interval IS NULL AND billing_interval_count IS NULL) OR (billing_type = 'recurring' AND billing_interval IN ('day', 'week', 'month', 'year') AND billing_interval_count BETWEEN 1 AND 365)",
            name="ck_products_billing",
        ),
        sa.CheckConstraint(
            "delivery_type IN ('keys', 'file', 'command', 'manual', 'gift_card')", name="ck_products_delivery_type"
        ),
        sa.CheckConstraint("status IN ('draft', 'active', 'archived')", name="ck_products_status"),
        sa.CheckConstraint("compare_at_price > price", name="ck_products_compare_at_price"),
        sa.CheckConstraint("price BETWEEN 0 AND 99999999", name="ck_products_price"),
        sa.CheckConstraint("stock >= 0", name="ck_products_stock"),
        sa.PrimaryKeyConstraint("id", name="pk_products"),
        sa.UniqueConstraint("sku", name="uq_products_sku"),
        sa.UniqueConstraint("slug", name="uq_products_slug"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_products_created_at_id", "products", ["created_at", "id"])
    op.create_table(
        "sightings",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("kind IN ('device', 'address', 'mailbox')", name="ck_sightings_kind"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_sightings_customer_id"),
        sa.PrimaryKeyConstraint("kind", "value", "customer_id", name="pk_sightings"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_sightings_customer_id", "sightings", ["customer_id"])
    if not is_postgresql:
        for statement in SQLITE_SEARCH:
            op.execute(statement)
