"""The schema: every table, with the invariants the database itself keeps."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# SQLite numbers rows by itself only in a column of the type INTEGER, which holds 64 bits there.
Id = BigInteger().with_variant(Integer, "sqlite")

users = Table(
    "users",
    metadata,
    Column("id", Id, primary_key=True),
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("is_owner", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    # There is exactly one owner, whatever two first starts at once may try.
    Index("uq_users_owner", "is_owner", unique=True, sqlite_where=text("is_owner"), postgresql_where=text("is_owner")),
    sqlite_autoincrement=True,
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user_id", BigInteger, ForeignKey("users.id"), nullable=False),
    Column("name", Text, nullable=False),
    # SHA-256 in hex: the token is random, so a plain digest is as good as a slow hash.
    Column("digest", Text, nullable=False, unique=True),
    Column("hint", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("rate_limit", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("last_used_at", BigInteger),
    CheckConstraint("rate_limit >= 0", name="rate_limit"),
    sqlite_autoincrement=True,
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("token_id", BigInteger, ForeignKey("tokens.id"), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("status", BigInteger, nullable=False),
    Column("answer", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index(None, "created_at"),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    # Counts the changes, so that a decision can say under which settings it was made.
    Column("version", BigInteger, nullable=False),
    Column("value", Text, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

referral_tiers = Table(
    "referral_tiers",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("referrals_required", BigInteger, nullable=False),
    Column("reward_type", Text, nullable=False),
    # Hundredths of the currency, or of a percent.
    Column("reward_value", BigInteger, nullable=False),
    Column("reward_currency", Text),
    Column("coupon_validity_days", BigInteger, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("sort_order", BigInteger, nullable=False),
    Column("claims_count", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    CheckConstraint("referrals_required >= 1", name="referrals_required"),
    CheckConstraint("reward_value >= 1", name="reward_value"),
    CheckConstraint("coupon_validity_days BETWEEN 1 AND 365", name="coupon_validity_days"),
    CheckConstraint("claims_count >= 0", name="claims_count"),
    CheckConstraint(
        "(reward_type = 'percentage_discount' AND reward_currency IS NULL AND reward_value <= 10000)"
        " OR (reward_type = 'fixed_discount' AND reward_currency IS NOT NULL)",
        name="reward",
    ),
    Index(None, "sort_order", "referrals_required", "id"),
    sqlite_autoincrement=True,
)
