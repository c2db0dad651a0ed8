"""Gift cards with their search, and the ledger of their balances."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Search on SQLite: a trigram index beside the table, kept by triggers.
_LEAVE = (
    "INSERT INTO gift_cards_search (gift_cards_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
)
_ENTER = "INSERT INTO gift_cards_search (rowid, search_text) VALUES (new.id, new.search_text);"
SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE gift_cards_search USING fts5 (search_text, content='gift_cards', content_rowid='id', "
    "tokenize='trigram case_sensitive 1')",
    f"CREATE TRIGGER gift_cards_search_added AFTER INSERT ON gift_cards BEGIN {_ENTER} END",
    f"CREATE TRIGGER gift_cards_search_removed AFTER DELETE ON gift_cards BEGIN {_LEAVE} END",
    f"CREATE TRIGGER gift_cards_search_changed AFTER UPDATE OF search_text ON gift_cards BEGIN {_LEAVE} {_ENTER} END",
)


def upgrade() -> None:
    is_postgresql = op.get_context().dialect.name == "postgresql"
    op.create_table(
        "gift_cards",
        sa.Column("id", ID, nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.Column("sealed_code", sa.Text(), nullable=False),
        sa.Column("last_four", sa.Text(), nullable=False),
        sa.Column("initial_balance", sa.BigInteger(), nullable=False),
        sa.Column("balance", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("kept_status", sa.Text(), nullable=False),
        sa.Column("turns_at", sa.BigInteger(), nullable=True),
        sa.Column("recipient_email", sa.Text(), nullable=True),
        sa.Column("recipient_name", sa.Text(), nullable=True),
        sa.Column("sender_name", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("customer_id", sa.BigInteger(), nullable=True),
        sa.Column("order_id", sa.BigInteger(), nullable=True),
        sa.Column("starts_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("send_count", sa.BigInteger(), nullable=False),
        sa.Column("sends_since", sa.BigInteger(), nullable=True),
        sa.Column("recent_sends", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("revoke_reason", sa.Text(), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("balance BETWEEN 0 AND initial_balance", name="ck_gift_cards_balance"),
        sa.CheckConstraint("initial_balance BETWEEN 1 AND 1000000", name="ck_gift_cards_initial_balance"),
        sa.CheckConstraint(
            "kept_status IN ('scheduled', 'active', 'redeemed', 'expired', 'revoked')", name="ck_gift_cards_kept_status"
        ),
        sa.CheckConstraint("revoked_at IS NULL OR balance = 0", name="ck_gift_cards_revoked_at"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_gift_cards_customer_id"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_gift_cards_order_id"),
        sa.PrimaryKeyConstraint("id", name="pk_gift_cards"),
        sa.UniqueConstraint("code_hash", name="uq_gift_cards_code_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_gift_cards_balance_id", "gift_cards", ["balance", "id"])
    op.create_index("ix_gift_cards_created_at_id", "gift_cards", ["created_at", "id"])
    op.create_index("ix_gift_cards_currency_created_at_id", "gift_cards", ["currency", "created_at", "id"])
    op.create_index(
        "ix_gift_cards_currency_kept_status_created_at_id",
        "gift_cards",
        ["currency", "kept_status", "created_at", "id"],
    )
    op.create_index("ix_gift_cards_customer_id", "gift_cards", ["customer_id"])
    op.create_index("ix_gift_cards_expires_at_id", "gift_cards", ["expires_at", "id"])
    op.create_index("ix_gift_cards_kept_status_balance_id", "gift_cards", ["kept_status", "balance", "id"])
    op.create_index("ix_gift_cards_kept_status_created_at_id", "gift_cards", ["kept_status", "created_at", "id"])
    op.create_index("ix_gift_cards_kept_status_expires_at_id", "gift_cards", ["kept_status", "expires_at", "id"])
    op.create_index("ix_gift_cards_kept_status_id", "gift_cards", ["kept_status", "id"])
    op.create_index("ix_gift_cards_order_id", "gift_cards", ["order_id"])
    op.create_index("ix_gift_cards_recipient_email", "gift_cards", ["recipient_email"])
    if is_postgresql:
        op.create_index(
            "ix_gift_cards_search_text",
            "gift_cards",
            ["search_text"],
            postgresql_using="gin",
            postgresql_ops={"search_text": "gin_trgm_ops"},
        )
    op.create_index(
        "ix_gift_cards_turning",
        "gift_cards",
        ["turns_at"],
        sqlite_where=sa.text("turns_at IS NOT NULL"),
        postgresql_where=sa.text("turns_at IS NOT NULL"),
    )
    op.create_table(
        "gift_card_entries",
        sa.Column("id", ID, nullable=False),
        sa.Column("gift_card_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("balance_after", sa.BigInteger(), nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=True),
        sa.Column("is_tender", sa.Boolean(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(type IN ('issue', 'refund') AND amount > 0) OR (type IN ('redeem', 'revoke') AND amount < 0)",
            name="ck_gift_card_entries_amount",
        ),
        sa.CheckConstraint("balance_after >= 0", name="ck_gift_card_entries_balance_after"),
        sa.CheckConstraint("type IN ('issue', 'redeem', 'refund', 'revoke')", name="ck_gift_card_entries_type"),
        sa.ForeignKeyConstraint(["gift_card_id"], ["gift_cards.id"], name="fk_gift_card_entries_gift_card_id"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_gift_card_entries_order_id"),
        sa.PrimaryKeyConstraint("id", name="pk_gift_card_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_gift_card_entries_gift_card_id_id", "gift_card_entries", ["gift_card_id", "id"])
    op.create_index(
        "uq_gift_card_entries_reference",
        "gift_card_entries",
        ["gift_card_id", "reference"],
        unique=True,
        sqlite_where=sa.text("type = 'redeem' AND reference IS NOT NULL"),
        postgresql_where=sa.text("type = 'redeem' AND reference IS NOT NULL"),
    )
    op.create_index(
        "uq_gift_card_entries_tender",
        "gift_card_entries",
        ["order_id"],
        unique=True,
        sqlite_where=sa.text("is_tender AND type = 'redeem'"),
        postgresql_where=sa.text("is_tender AND type = 'redeem'"),
    )
    if not is_postgresql:
        for statement in SQLITE_SEARCH:
            op.execute(statement)
