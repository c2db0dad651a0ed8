"""Support tickets with their messages and search, and the figures that are kept of them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

# Search on SQLite: a trigram index beside the table, kept by triggers.
_LEAVE = "INSERT INTO support_tickets_search (support_tickets_search, rowid, search_text) VALUES ('delete', old.id, old.search_text);"
_ENTER = "INSERT INTO support_tickets_search (rowid, search_text) VALUES (new.id, new.search_text);"
SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE support_tickets_search USING fts5 (search_text, content='support_tickets', content_rowid='id', "
    "tokenize='trigram case_sensitive 1')",
    f"CREATE TRIGGER support_tickets_search_added AFTER INSERT ON support_tickets BEGIN {_ENTER} END",
    f"CREATE TRIGGER support_tickets_search_removed AFTER DELETE ON support_tickets BEGIN {_LEAVE} END",
    f"CREATE TRIGGER support_tickets_search_changed AFTER UPDATE OF search_text ON support_tickets BEGIN {_LEAVE} {_ENTER} END",
)

INDEXES = (
    ("created_at", "id"),
    ("status", "created_at", "id"),
    ("priority", "created_at", "id"),
    ("category", "created_at", "id"),
    ("assigned_to_id", "created_at", "id"),
    ("last_message_at", "id"),
    ("status", "last_message_at", "id"),
    ("assigned_to_id", "last_message_at", "id"),
    ("customer_id", "created_at", "id"),
    ("order_id",),
)


def upgrade() -> None:
    op.create_table(
        "support_tickets",
        sa.Column("id", ID, nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("assigned_to_id", sa.BigInteger(), nullable=True),
        sa.Column("messages_count", sa.BigInteger(), nullable=False),
        sa.Column("last_message_at", sa.BigInteger(), nullable=False),
        sa.Column("last_message_by", sa.Text(), nullable=False),
        sa.Column("first_response_at", sa.BigInteger(), nullable=True),
        sa.Column("resolved_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("reopened_count", sa.BigInteger(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("status IN ('open', 'pending', 'resolved', 'closed')", name="ck_support_tickets_status"),
        sa.CheckConstraint("priority IN ('low', 'normal', 'high', 'urgent')", name="ck_support_tickets_priority"),
        sa.CheckConstraint(
            "category IN ('order', 'payment', 'delivery', 'account', 'refund', 'technical', 'other')",
            name="ck_support_tickets_category",
        ),
        sa.CheckConstraint("last_message_by IN ('customer', 'staff')", name="ck_support_tickets_last_message_by"),
        sa.CheckConstraint(
            "(status IN ('resolved', 'closed')) = (resolved_at IS NOT NULL)", name="ck_support_tickets_resolved_at"
        ),
        sa.CheckConstraint("(status = 'closed') = (closed_at IS NOT NULL)", name="ck_support_tickets_closed_at"),
        sa.CheckConstraint(
            "first_response_at >= created_at AND resolved_at >= created_at", name="ck_support_tickets_times"
        ),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_support_tickets_customer_id"),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name="fk_support_tickets_order_id"),
        sa.ForeignKeyConstraint(["assigned_to_id"], ["users.id"], name="fk_support_tickets_assigned_to_id"),
        sa.PrimaryKeyConstraint("id", name="pk_support_tickets"),
        sqlite_autoincrement=True,
    )
    for columns in INDEXES:
        op.create_index(f"ix_support_tickets_{'_'.join(columns)}", "support_tickets", list(columns))
    op.create_index("ix_support_tickets_cell", "support_tickets", ["status", "priority", "category", "assigned_to_id"])
    op.create_table(
        "ticket_messages",
        sa.Column("id", ID, nullable=False),
        sa.Column("ticket_id", sa.BigInteger(), nullable=False),
        sa.Column("author_type", sa.Text(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("author_name", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("is_internal", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("author_type IN ('customer', 'staff', 'system')", name="ck_ticket_messages_author_type"),
        sa.CheckConstraint("author_type <> 'customer' OR NOT is_internal", name="ck_ticket_messages_is_internal"),
        sa.ForeignKeyConstraint(["ticket_id"], ["support_tickets.id"], name="fk_ticket_messages_ticket_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_ticket_messages_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_ticket_messages"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_ticket_messages_ticket_id_id", "ticket_messages", ["ticket_id", "id"])
    op.create_table(
        "ticket_figures",
        sa.Column("agent", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("shard", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("tickets", sa.BigInteger(), nullable=False),
        sa.Column("responded", sa.BigInteger(), nullable=False),
        sa.Column("response_seconds", sa.BigInteger(), nullable=False),
        sa.Column("resolved", sa.BigInteger(), nullable=False),
        sa.Column("resolution_seconds", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("agent", "status", "priority", "category", "shard", name="pk_ticket_figures"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ticket_counts",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bucket", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("shard", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", "bucket", "shard", name="pk_ticket_counts"),
        sqlite_with_rowid=False,
    )
    if op.get_context().dialect.name == "postgresql":
        op.create_index(
            "ix_support_tickets_search_text",
            "support_tickets",
            ["search_text"],
            postgresql_using="gin",
            postgresql_ops={"search_text": "gin_trgm_ops"},
        )
    else:
        for statement in SQLITE_SEARCH:
            op.execute(statement)
