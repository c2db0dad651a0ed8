"""Creators, and the ledger of what they earn and were paid."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, text as sql

from lootkeep.storage.schema.columns import instant, link, money, number, numbered_table, partial_index, text

_COMMISSION = sql("type = 'commission'")
_WITH_REFERENCE = sql("reference IS NOT NULL")

creators = numbered_table(
    "creators",
    text("name"),
    # Its code, its discount, and whether it is active.
    link("coupon_id", "coupons.id", unique=True),
    # Hundredths of a percent.
    money("commission"),
    number("hold_days"),
    # Who the creator is as a customer: own purchases earn nothing.
    link("customer_id", "customers.id", optional=True),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("commission BETWEEN 0 AND 10000", name="commission"),
    CheckConstraint("hold_days BETWEEN 0 AND 365", name="hold_days"),
    Index(None, "customer_id"),
    Index(None, "created_at", "id"),
)

# Append-only.
creator_entries = numbered_table(
    "creator_entries",
    link("creator_id", "creators.id"),
    text("type"),
    # Signed: those that are available add up to what is due.
    money("amount"),
    text("currency"),
    link("order_id", "orders.id", optional=True),
    text("reference", optional=True),
    instant("available_at"),
    instant("created_at"),
    CheckConstraint(
        "(type IN ('commission', 'release') AND amount >= 0) OR (type IN ('clawback', 'payout') AND amount < 0)",
        name="amount",
    ),
    CheckConstraint("(type = 'payout') = (order_id IS NULL)", name="order_id"),
    CheckConstraint("(type = 'payout') = (reference IS NOT NULL)", name="reference"),
    Index(None, "creator_id", "created_at", "id"),
    Index(None, "order_id"),
    # An order earns once, and a reference pays once.
    partial_index("uq_creator_entries_commission", _COMMISSION, "order_id", unique=True),
    partial_index("uq_creator_entries_reference", _WITH_REFERENCE, "creator_id", "reference", unique=True),
)
