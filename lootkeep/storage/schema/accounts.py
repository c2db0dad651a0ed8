"""Users of the console: accounts, one-time links, sessions, and the log of changes."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, Text, UniqueConstraint

from lootkeep.storage.schema.columns import (
    document,
    flag,
    instant,
    link,
    metadata,
    money,
    number,
    numbered_table,
    sealed,
    text,
)

# What owners made; owner, staff and read_only are no rows.
roles = numbered_table(
    "roles",
    text("name", unique=True),
    # Separated by blanks, as those of tokens.
    text("scopes"),
    money("refund_limit", optional=True),
    flag("masks_emails"),
    flag("hides_revenue"),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("refund_limit >= 0", name="refund_limit"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("user_id", BigInteger, ForeignKey("users.id"), primary_key=True, autoincrement=False),
    text("role"),
    link("role_id", "roles.id", optional=True),
    # argon2id with its parameters; null until a one-time link was used.
    text("password_hash", optional=True),
    sealed("totp_secret", "totp", optional=True),
    # The time step of the last code that was accepted: a code works once.
    number("totp_step", optional=True),
    instant("disabled_at", optional=True),
    instant("created_at"),
    instant("updated_at"),
    CheckConstraint("role IN ('owner', 'staff', 'read_only', 'custom')", name="role"),
    CheckConstraint("(role = 'custom') = (role_id IS NOT NULL)", name="role_id"),
    Index(None, "role_id"),
)

account_links = numbered_table(
    "account_links",
    link("user_id", "users.id"),
    # SHA-256 in hex of a random token, as for API tokens.
    text("digest", unique=True),
    instant("created_at"),
    instant("expires_at"),
    instant("used_at", optional=True),
    Index(None, "user_id"),
)

sessions = numbered_table(
    "sessions",
    link("user_id", "users.id"),
    text("digest", unique=True),
    instant("created_at"),
    instant("last_seen_at"),
    instant("expires_at"),
    instant("revoked_at", optional=True),
    text("ip_address", optional=True),
    text("user_agent", optional=True),
    Index(None, "user_id", "id"),
    Index(None, "expires_at"),
)

recovery_codes = numbered_table(
    "recovery_codes",
    link("user_id", "users.id"),
    # A keyed fingerprint: a code is too short for a plain hash.
    text("digest"),
    instant("created_at"),
    instant("used_at", optional=True),
    UniqueConstraint("user_id", "digest"),
)

passkeys = numbered_table(
    "passkeys",
    link("user_id", "users.id"),
    text("name"),
    # In base64url, as browsers send them.
    text("credential_id", unique=True),
    text("public_key"),
    # Of a copied authenticator it goes back; many always send 0.
    number("sign_count"),
    number("created_at"),
    number("last_used_at", optional=True),
    Index(None, "user_id", "id"),
)

saved_views = numbered_table(
    "saved_views",
    link("user_id", "users.id"),
    text("name"),
    # Of the list, and the parameters of its address.
    text("path"),
    text("list_query"),
    instant("created_at"),
    instant("updated_at"),
    UniqueConstraint("user_id", "path", "name"),
)

failed_attempts = Table(
    "failed_attempts",
    metadata,
    # A keyed fingerprint of whom is counted: an account, a network, both, or a browser.
    Column("key", Text, primary_key=True),
    number("failures"),
    instant("counted_at"),
    instant("paused_until"),
    Index(None, "counted_at"),
)

audit_log = numbered_table(
    "audit_log",
    # Null for the command line.
    link("user_id", "users.id", optional=True),
    text("action"),
    # `order:12`: what was changed.
    text("record"),
    # JSON objects of the fields that changed.
    document("before"),
    document("after"),
    text("ip_address", optional=True),
    # `console`, `token` or `command_line`.
    text("channel"),
    instant("created_at"),
    Index(None, "record", "created_at", "id"),
    Index(None, "user_id", "created_at", "id"),
    Index(None, "action", "created_at", "id"),
    Index(None, "channel", "created_at", "id"),
    Index(None, "created_at", "id"),
)
