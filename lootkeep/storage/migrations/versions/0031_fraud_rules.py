"""Which of the store's own rules fitted an order, and the lists that rules ask about."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

_HAS_RULES = sa.text("rule_hits <> '[]'")
_KINDS = "kind IN ('email', 'domain', 'ip', 'device', 'instrument', 'country', 'customer')"
_Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("fraud_checks", sa.Column("rule_hits", sa.Text(), server_default="[]", nullable=False))
    op.create_index(
        "ix_fraud_checks_rules",
        "fraud_checks",
        ["rule_hits", "review_outcome"],
        sqlite_where=_HAS_RULES,
        postgresql_where=_HAS_RULES,
    )
    op.create_table(
        "fraud_lists",
        sa.Column("id", _Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(_KINDS, name="ck_fraud_lists_kind"),
        sa.PrimaryKeyConstraint("id", name="pk_fraud_lists"),
        sa.UniqueConstraint("name", name="uq_fraud_lists_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "fraud_list_entries",
        sa.Column("id", _Id, nullable=False),
        sa.Column("list_id", sa.BigInteger(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("added_by", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["fraud_lists.id"], name="fk_fraud_list_entries_list_id"),
        sa.ForeignKeyConstraint(["added_by"], ["users.id"], name="fk_fraud_list_entries_added_by"),
        sa.PrimaryKeyConstraint("id", name="pk_fraud_list_entries"),
        sa.UniqueConstraint("list_id", "value", name="uq_fraud_list_entries_list_id_value"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_fraud_list_entries_list_id_id", "fraud_list_entries", ["list_id", "id"])
