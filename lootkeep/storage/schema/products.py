"""Products, and their tags."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, Text, text as sql

from lootkeep.storage.engine.dialect import Bytewise
from lootkeep.storage.schema.columns import (
    document,
    instant,
    metadata,
    money,
    number,
    numbered_table,
    search_index,
    text,
)

products = numbered_table(
    "products",
    text("name"),
    text("slug", unique=True),
    text("sku", optional=True, unique=True),
    text("description", optional=True),
    text("delivery_type"),
    text("billing_type"),
    text("billing_interval", optional=True),
    number("billing_interval_count", optional=True),
    text("status"),
    money("price"),
    money("compare_at_price", optional=True),
    text("currency"),
    # Null is unlimited.
    number("stock", optional=True),
    number("max_per_order", optional=True),
    text("category", optional=True),
    # A JSON array of words.
    document("tags"),
    text("image_url", optional=True),
    # What a `file` product hands over.
    text("file_url", optional=True),
    # For how long what was handed over is valid.
    number("valid_days", optional=True),
    # Only a product with keys has these: how many can be sold, and how many of them orders wait for.
    number("keys_available", optional=True),
    number("keys_reserved", optional=True),
    number("sales_count"),
    # A JSON object.
    document("metadata"),
    # A JSON array: what a `command` product runs.
    document("commands", default="[]"),
    text("search_text"),
    instant("created_at"),
    instant("updated_at"),
    instant("deleted_at", optional=True),
    CheckConstraint("delivery_type IN ('keys', 'file', 'command', 'manual', 'gift_card')", name="delivery_type"),
    CheckConstraint("status IN ('draft', 'active', 'archived')", name="status"),
    CheckConstraint("price BETWEEN 0 AND 99999999", name="price"),
    CheckConstraint("compare_at_price > price", name="compare_at_price"),
    # Never oversold: the guarded update cannot go below zero, even with concurrent orders.
    CheckConstraint("stock >= 0", name="stock"),
    CheckConstraint(
        "CASE WHEN delivery_type = 'keys' THEN keys_available >= 0 AND keys_reserved >= 0 AND stock = "
        "CASE WHEN keys_available > keys_reserved THEN keys_available - keys_reserved ELSE 0 END "
        "ELSE keys_available IS NULL AND keys_reserved IS NULL END",
        name="keys",
    ),
    CheckConstraint("valid_days BETWEEN 1 AND 3650", name="valid_days"),
    CheckConstraint(
        "(billing_type = 'one_time' AND billing_interval IS NULL AND billing_interval_count IS NULL)"
        " OR (billing_type = 'recurring' AND billing_interval IN ('day', 'week', 'month', 'year')"
        " AND billing_interval_count BETWEEN 1 AND 365)",
        name="billing",
    ),
    Index(None, "created_at", "id"),
    search_index(),
)

# Unlimited is more than any number: one above the maximum stock.
STOCK = sql("coalesce(stock, 2147483648)")


def _listed(name: str, *columns: Any, **options: Any) -> None:
    """An index of the products that are not deleted: only those are ever listed."""
    alive = sql("deleted_at IS NULL")
    Index(name, *columns, products.c.id, sqlite_where=alive, postgresql_where=alive, **options)


_listed("ix_products_listed", products.c.created_at)
_listed("ix_products_by_name", Bytewise(products.c.name))
_listed("ix_products_by_price", products.c.price)
# PostgreSQL reads an expression from the index alone only if its columns are in the index too.
_listed("ix_products_by_stock", STOCK, postgresql_include=["stock"])
_listed("ix_products_by_sales_count", products.c.sales_count)
_listed("ix_products_by_updated_at", products.c.updated_at)
_listed("ix_products_by_status", products.c.status, products.c.created_at)
_listed("ix_products_by_delivery_type", products.c.delivery_type, products.c.created_at)
_listed("ix_products_by_billing_type", products.c.billing_type, products.c.created_at)
_listed("ix_products_by_category", products.c.category, products.c.created_at)

# A copy of the tags, to find products by them; those of a deleted product are removed.
product_tags = Table(
    "product_tags",
    metadata,
    Column("tag", Text, primary_key=True),
    Column("product_id", BigInteger, ForeignKey("products.id"), primary_key=True, autoincrement=False),
    Index(None, "product_id"),
    sqlite_with_rowid=False,
)
