"""What the lists of products, orders and customers need, and the figures that analytics reads."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_LEAVE = "INSERT INTO products_search (products_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
_ENTER = "INSERT INTO products_search (rowid, search_text) VALUES (new.id, new.search_text);"
_SEARCH = (
    "CREATE VIRTUAL TABLE products_search USING fts5 (search_text, content='products', content_rowid='id', "
    "tokenize='trigram case_sensitive 1')",
    f"CREATE TRIGGER products_search_added AFTER INSERT ON products BEGIN {_ENTER} END",
    f"CREATE TRIGGER products_search_removed AFTER DELETE ON products BEGIN {_LEAVE} END",
    f"CREATE TRIGGER products_search_changed AFTER UPDATE OF search_text ON products BEGIN {_LEAVE} {_ENTER} END",
    "INSERT INTO products_search (products_search) VALUES ('rebuild')",
)
_TAGS = {
    "sqlite": "INSERT INTO product_tags (tag, product_id) SELECT value, products.id FROM products, "
    "json_each(products.tags) WHERE products.deleted_at IS NULL",
    "postgresql": "INSERT INTO product_tags (tag, product_id) SELECT value, products.id FROM products, "
    "json_array_elements_text(products.tags::json) WHERE products.deleted_at IS NULL",
}
_MEASURES = (
    *("orders", "items", "gross", "discounts", "gift_cards", "refunds"),
    *("refunded_orders", "completed_orders", "new_customers"),
)
_LISTED: dict[str, list[str]] = {
    "ix_products_listed": ["created_at", "id"],
    "ix_products_by_price": ["price", "id"],
    "ix_products_by_sales_count": ["sales_count", "id"],
    "ix_products_by_updated_at": ["updated_at", "id"],
    "ix_products_by_status": ["status", "created_at", "id"],
    "ix_products_by_delivery_type": ["delivery_type", "created_at", "id"],
    "ix_products_by_billing_type": ["billing_type", "created_at", "id"],
    "ix_products_by_category": ["category", "created_at", "id"],
}


def upgrade() -> None:
    is_postgresql = context_dialect() == "postgresql"
    op.add_column("orders", sa.Column("risk_level", sa.Text(), nullable=True))
    op.add_column("orders", sa.Column("fulfillment_note", sa.Text(), nullable=True))
    for column in ("coupon_code", "payment_method", "billing_country", "risk_level"):
        op.create_index(f"ix_orders_{column}_created_at_id", "orders", [column, "created_at", "id"])
    op.create_index("ix_orders_total_id", "orders", ["total", "id"])
    op.create_index("ix_orders_transaction_id", "orders", ["transaction_id"])
    for column in ("status", "country", "accepts_marketing"):
        op.create_index(f"ix_customers_{column}_created_at_id", "customers", [column, "created_at", "id"])
    for column in ("orders_count", "total_spent"):
        op.create_index(f"ix_customers_{column}_id", "customers", [column, "id"])
    for table, column in (("orders", "paid_at"), ("customers", "last_order_at")):
        last = [sa.text(f"{column} DESC NULLS LAST"), sa.text("id DESC")] if is_postgresql else [column, "id"]
        op.create_index(f"ix_{table}_{column}_id", table, last)
    for column in ("name", "email"):
        op.create_index(f"ix_customers_{column}_id", "customers", [bytewise(column), "id"])
    alive = sa.text("deleted_at IS NULL")
    listed: dict[str, list[Any]] = {
        **_LISTED,
        "ix_products_by_name": [bytewise("name"), "id"],
        "ix_products_by_stock": [sa.text("coalesce(stock, 2147483648)"), "id"],
    }
    for name, columns in listed.items():
        op.create_index(name, "products", columns, sqlite_where=alive, postgresql_where=alive)
    op.create_table(
        "product_tags",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("product_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(["product_id"], ["products.id"], name="fk_product_tags_product_id"),
        sa.PrimaryKeyConstraint("tag", "product_id", name="pk_product_tags"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_product_tags_product_id", "product_tags", ["product_id"])
    op.execute(_TAGS[context_dialect()])
    if is_postgresql:
        op.create_index(
            "ix_products_search_text",
            "products",
            ["search_text"],
            postgresql_using="gin",
            postgresql_ops={"search_text": "gin_trgm_ops"},
        )
    else:
        for statement in _SEARCH:
            op.execute(statement)
    op.create_table(
        "sales_rollups",
        sa.Column("dimension", sa.Text(), nullable=False),
        sa.Column("level", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("block", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("shard", sa.BigInteger(), autoincrement=False, nullable=False),
        *(sa.Column(measure, sa.BigInteger(), nullable=False) for measure in _MEASURES),
        sa.PrimaryKeyConstraint("dimension", "level", "block", "key", "currency", "shard", name="pk_sales_rollups"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_sales_rollups_dimension_key_level_block", "sales_rollups", ["dimension", "key", "level", "block"]
    )
    op.create_table(
        "buyers",
        sa.Column("level", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("block", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("shard", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("chunk", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("bits", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "block", "shard", "chunk", name="pk_buyers"),
    )


def context_dialect() -> str:
    return op.get_context().dialect.name


def bytewise(column: str) -> sa.TextClause | str:
    return sa.text(f'{column} COLLATE "C"') if context_dialect() == "postgresql" else column
