"""Gift cards, and the ledger of everything that changed their balances."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, text as sql

from lootkeep.storage.schema.columns import (
    flag,
    instant,
    link,
    money,
    number,
    numbered_table,
    partial_index,
    sealed,
    search_index,
    text,
)

_CHANGING = sql("next_status_change_at IS NOT NULL")
# A literal, also in queries: otherwise SQLite does not use the index.
TENDER = sql("is_tender AND type = 'redeem'")
WITH_REFERENCE = sql("type = 'redeem' AND reference IS NOT NULL")

_FILTERED = ("stored_status", "currency")

gift_cards = numbered_table(
    "gift_cards",
    # The code itself is only here: a keyed hash for lookups, and sealed with the application key.
    text("code_hash", unique=True),
    sealed("sealed_code", "gift card code"),
    text("last_four"),
    money("initial_balance"),
    money("balance"),
    text("currency"),
    # The status when the row was last written or settled, and when time changes it next: lists use both.
    text("stored_status"),
    instant("next_status_change_at", optional=True),
    text("recipient_email", optional=True),
    text("recipient_name", optional=True),
    text("sender_name", optional=True),
    text("message", optional=True),
    link("customer_id", "customers.id", optional=True),
    link("order_id", "orders.id", optional=True),
    instant("starts_at", optional=True),
    instant("expires_at", optional=True),
    text("note", optional=True),
    instant("sent_at", optional=True),
    number("send_count"),
    instant("sends_since", optional=True),
    number("recent_sends"),
    instant("last_used_at", optional=True),
    instant("revoked_at", optional=True),
    text("revoke_reason", optional=True),
    # Recipient and the end of the code, case folded.
    text("search_text"),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("initial_balance BETWEEN 1 AND 1000000", name="initial_balance"),
    # Never overspent, even with concurrent requests; and never worth more than it was sold for.
    CheckConstraint("balance BETWEEN 0 AND initial_balance", name="balance"),
    CheckConstraint("revoked_at IS NULL OR balance = 0", name="revoked_at"),
    CheckConstraint("stored_status IN ('scheduled', 'active', 'redeemed', 'expired', 'revoked')", name="stored_status"),
    # The sort orders of the list, each with the columns that are filtered along the way.
    Index("ix_gift_cards_by_created_at", "created_at", "id", *_FILTERED),
    Index("ix_gift_cards_by_balance", "balance", "id", *_FILTERED),
    Index("ix_gift_cards_by_expires_at", "expires_at", "id", *_FILTERED),
    Index("ix_gift_cards_by_id", "id", *_FILTERED),
    Index(None, "customer_id"),
    Index(None, "order_id"),
    Index(None, "recipient_email"),
    partial_index("ix_gift_cards_next_status_change", _CHANGING, "next_status_change_at"),
    search_index(),
)

# Append-only.
gift_card_entries = numbered_table(
    "gift_card_entries",
    link("gift_card_id", "gift_cards.id"),
    text("type"),
    # Signed: the amounts of a card add up to its balance.
    money("amount"),
    money("balance_after"),
    link("order_id", "orders.id", optional=True),
    # Whether the card pays for this order, or the order was only named when it was redeemed.
    flag("is_tender"),
    text("reference", optional=True),
    instant("created_at"),
    CheckConstraint("type IN ('issue', 'redeem', 'refund', 'revoke')", name="type"),
    CheckConstraint(
        "(type IN ('issue', 'refund') AND amount > 0) OR (type IN ('redeem', 'revoke') AND amount < 0)",
        name="amount",
    ),
    CheckConstraint("balance_after >= 0", name="balance_after"),
    Index(None, "gift_card_id", "id"),
    partial_index("uq_gift_card_entries_tender", TENDER, "order_id", unique=True),
    # A reference redeems once.
    partial_index("uq_gift_card_entries_reference", WITH_REFERENCE, "gift_card_id", "reference", unique=True),
)
