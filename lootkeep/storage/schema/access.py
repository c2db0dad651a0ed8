"""Users, tokens, idempotency keys and settings."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Table, Text, text as sql

from lootkeep.storage.schema.columns import (
    document,
    flag,
    instant,
    link,
    metadata,
    number,
    numbered_table,
    partial_index,
    sealed,
    text,
)

users = numbered_table(
    "users",
    text("email", unique=True),
    text("name"),
    flag("is_owner"),
    instant("created_at"),
    # What they did still has their name.
    instant("removed_at", optional=True),
    # There is exactly one owner, even with two concurrent first starts.
    partial_index("uq_users_owner", sql("is_owner"), "is_owner", unique=True),
)

tokens = numbered_table(
    "tokens",
    link("user_id", "users.id"),
    text("name"),
    # SHA-256 in hex: the token is random, so a plain digest is as good as a slow hash.
    text("digest", unique=True),
    text("hint"),
    text("scopes"),
    number("rate_limit", optional=True),
    instant("created_at"),
    instant("expires_at", optional=True),
    instant("revoked_at", optional=True),
    instant("last_used_at", optional=True),
    CheckConstraint("rate_limit >= 0", name="rate_limit"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    # 0 for the forms of the console.
    Column("token_id", BigInteger, primary_key=True, autoincrement=False),
    Column("path", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    text("fingerprint"),
    number("status"),
    sealed("answer", "kept answer", "console draft"),
    instant("created_at"),
    # The operation is in progress: until then nobody else starts it. There is no response yet.
    instant("leased_until", optional=True),
    Index(None, "created_at"),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    # Counts the changes, so a decision can record the version of the settings it used.
    number("version"),
    document("value"),
    instant("updated_at"),
)
