"""Coupons: of the owner, of creators, and those that the referral program gives."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, text as sql

from lootkeep.storage.schema.columns import (
    document,
    flag,
    instant,
    link,
    money,
    number,
    numbered_table,
    partial_index,
    search_index,
    text,
)

_CHANGING = sql("next_state_at IS NOT NULL")

coupons = numbered_table(
    "coupons",
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
    partial_index("ix_coupons_next_state", _CHANGING, "next_state_at"),
    Index(None, "batch", "created_at", "id"),
    search_index(),
)
