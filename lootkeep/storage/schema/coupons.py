"""Coupons: of the owner, of creators, and those that the referral program gives."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, Table, text as sql

from lootkeep.storage.schema.columns import document, flag, identity, instant, link, metadata, money, number, text

_CHANGING = sql("next_state_at IS NOT NULL")

coupons = Table(
    "coupons",
    metadata,
    identity(),
    text("code", unique=True),
    text("origin"),
    # Only this customer can use it.
    link("customer_id", "customers.id", optional=True),
    text("discount_type"),
    # Hundredths of the currency, or of a percent.
    money("value"),
    text("currency", optional=True),
    # JSON arrays; empty ones match everything.
    document("product_ids"),
    document("categories"),
    money("min_total", optional=True),
    flag("first_order_only"),
    number("max_uses", optional=True),
    number("max_uses_per_customer", optional=True),
    instant("starts_at", optional=True),
    instant("ends_at", optional=True),
    flag("is_active"),
    text("note", optional=True),
    # Those that were generated together.
    text("batch", optional=True),
    # By paid orders, and by orders that wait for their payment.
    number("uses_count"),
    number("reserved_count"),
    # As `domain.coupons.state` says, and when time changes it.
    text("stored_state"),
    instant("next_state_at", optional=True),
    # Code and note, case folded.
    text("search_text"),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("origin IN ('tier', 'welcome', 'owner', 'creator')", name="origin"),
    CheckConstraint("discount_type IN ('percentage', 'fixed')", name="discount_type"),
    CheckConstraint("(discount_type = 'fixed') = (currency IS NOT NULL)", name="currency"),
    CheckConstraint("stored_state IN ('scheduled', 'active', 'used_up', 'expired', 'inactive')", name="stored_state"),
    CheckConstraint("uses_count >= 0 AND reserved_count >= 0", name="counts"),
    # Never used more often than it may be, even by concurrent requests.
    CheckConstraint("max_uses IS NULL OR uses_count + reserved_count <= max_uses", name="max_uses"),
    Index(None, "customer_id"),
    Index(None, "created_at", "id"),
    Index(None, "uses_count", "id"),
    # The filters of the list, each in its sort order.
    Index(None, "origin", "created_at", "id"),
    # Origins too: the list usually has both filters.
    Index(None, "stored_state", "created_at", "id", "origin"),
    Index("ix_coupons_next_state", "next_state_at", sqlite_where=_CHANGING, postgresql_where=_CHANGING),
    Index(None, "batch", "created_at", "id"),
    Index(
        "ix_coupons_search_text",
        "search_text",
        postgresql_using="gin",
        postgresql_ops={"search_text": "gin_trgm_ops"},
    ).ddl_if(dialect="postgresql"),
    sqlite_autoincrement=True,
)
