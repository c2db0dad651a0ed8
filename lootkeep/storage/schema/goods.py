"""What orders hand over: the stock of keys of a product, in batches."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text as sql

from lootkeep.storage.schema.columns import instant, link, money, number, numbered_table, partial_index, sealed, text

# A literal, also in queries: a cached plan can use the partial index only if it sees the word.
AVAILABLE = sql("status = 'available'")

key_batches = numbered_table(
    "key_batches",
    link("product_id", "products.id"),
    # Empty for keys that were added without a batch.
    text("name"),
    # What one key cost, in the product's currency.
    money("unit_cost", optional=True),
    instant("created_at"),
    UniqueConstraint("product_id", "name"),
)

product_keys = numbered_table(
    "product_keys",
    link("product_id", "products.id"),
    link("batch_id", "key_batches.id"),
    # The key itself is only here: a keyed hash to find it again, and sealed with the application key.
    text("key_hash"),
    sealed("sealed_key", "product key"),
    text("last_four"),
    text("status"),
    link("order_id", "orders.id", optional=True),
    link("item_id", "order_items.id", optional=True),
    instant("assigned_at", optional=True),
    # When the buyer first looked at it.
    instant("revealed_at", optional=True),
    # When it was replaced, revoked or withdrawn.
    instant("ended_at", optional=True),
    # Stored without a reference: both are keys of the same line.
    number("replaced_by_id", optional=True),
    text("replace_reason", optional=True),
    instant("created_at"),
    CheckConstraint("status IN ('available', 'assigned', 'replaced', 'revoked', 'withdrawn')", name="status"),
    # No key without an owner is called sold, and none is sold twice.
    CheckConstraint("(status IN ('available', 'withdrawn')) = (item_id IS NULL)", name="item_id"),
    UniqueConstraint("product_id", "key_hash"),
    # The oldest is sold first.
    partial_index("ix_product_keys_available", AVAILABLE, "product_id", "id"),
    # The sort order of the list, and its filters in this order.
    Index(None, "product_id", "id"),
    Index(None, "product_id", "status", "id"),
    Index(None, "batch_id", "id"),
    Index(None, "order_id", "id"),
    # For the foreign key.
    Index(None, "item_id"),
)

goods_looks = numbered_table(
    "goods_looks",
    link("order_id", "orders.id"),
    link("item_id", "order_items.id"),
    link("key_id", "product_keys.id", optional=True),
    instant("at"),
    text("ip_address", optional=True),
    text("user_agent", optional=True),
    Index(None, "order_id", "id"),
    # For the foreign keys.
    Index(None, "item_id"),
    Index(None, "key_id"),
)
