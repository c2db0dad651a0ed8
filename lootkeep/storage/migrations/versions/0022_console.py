"""Accounts of the console with their one-time links and sessions, and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("user_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=True),
        sa.Column("totp_secret", sa.Text, nullable=True),
        sa.Column("totp_step", sa.BigInteger, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_accounts"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_accounts_user_id"),
        sa.CheckConstraint("role IN ('owner', 'staff', 'read_only')", name="ck_accounts_role"),
    )
    op.create_table(
        "account_links",
        *_owned("account_links"),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=True),
        sa.UniqueConstraint("digest", name="uq_account_links_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_account_links_user_id", "account_links", ["user_id"])
    op.create_table(
        "sessions",
        *_owned("sessions"),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("last_seen_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("revoked_at", sa.BigInteger, nullable=True),
        sa.Column("ip_address", sa.Text, nullable=True),
        sa.Column("user_agent", sa.Text, nullable=True),
        sa.UniqueConstraint("digest", name="uq_sessions_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_user_id_id", "sessions", ["user_id", "id"])
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_table(
        "audit_log",
        *_owned("audit_log", optional=True),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("ip_address", sa.Text, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    for columns in (["record", "id"], ["user_id", "id"], ["created_at", "id"]):
        op.create_index("_".join(("ix_audit_log", *columns)), "audit_log", columns)


def _owned(table: str, *, optional: bool = False) -> tuple[sa.Column[int] | sa.Constraint, ...]:
    """A numbered row of a user."""
    return (
        sa.Column("id", _ID, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=optional),
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=f"fk_{table}_user_id"),
    )
