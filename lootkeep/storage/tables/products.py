"""Products."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, Table

from lootkeep.storage.tables.columns import identity, metadata, number, text

products = Table(
    "products",
    metadata,
    identity(),
    text("name"),
    text("slug", unique=True),
    text("sku", optional=True, unique=True),
    text("description", optional=True),
    text("delivery_type"),
    text("billing_type"),
    text("billing_interval", optional=True),
    number("billing_interval_count", optional=True),
    text("status"),
    number("price"),
    number("compare_at_price", optional=True),
    text("currency"),
    # Null is unlimited.
    number("stock", optional=True),
    number("max_per_order", optional=True),
    text("category", optional=True),
    # A JSON array of words.
    text("tags"),
    text("image_url", optional=True),
    number("sales_count"),
    # A JSON object.
    text("metadata"),
    text("search_text"),
    number("created_at"),
    number("updated_at"),
    number("deleted_at", optional=True),
    CheckConstraint("delivery_type IN ('keys', 'file', 'command', 'manual', 'gift_card')", name="delivery_type"),
    CheckConstraint("status IN ('draft', 'active', 'archived')", name="status"),
    CheckConstraint("price BETWEEN 0 AND 99999999", name="price"),
    CheckConstraint("compare_at_price > price", name="compare_at_price"),
    # Never oversold: the guarded update cannot go below zero, whatever races.
    CheckConstraint("stock >= 0", name="stock"),
    CheckConstraint(
        "(billing_type = 'one_time' AND billing_interval IS NULL AND billing_interval_count IS NULL)"
        " OR (billing_type = 'recurring' AND billing_interval IN ('day', 'week', 'month', 'year')"
        " AND billing_interval_count BETWEEN 1 AND 365)",
        name="billing",
    ),
    Index(None, "created_at", "id"),
    sqlite_autoincrement=True,
)
