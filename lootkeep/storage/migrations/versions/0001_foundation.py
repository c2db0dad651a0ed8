"""Users, tokens, idempotency keys, settings and referral tiers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", Id, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("is_owner", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
        sqlite_autoincrement=True,
    )
    is_owner = sa.text("is_owner")
    op.create_index(
        "uq_users_owner", "users", ["is_owner"], unique=True, sqlite_where=is_owner, postgresql_where=is_owner
    )
    op.create_table(
        "tokens",
        sa.Column("id", Id, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("hint", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("rate_limit", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("revoked_at", sa.BigInteger),
        sa.Column("last_used_at", sa.BigInteger),
        sa.CheckConstraint("rate_limit >= 0", name="ck_tokens_rate_limit"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_tokens_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("token_id", sa.BigInteger, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("status", sa.BigInteger, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["tokens.id"], name="fk_idempotency_keys_token_id"),
        sa.PrimaryKeyConstraint("token_id", "path", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])
    op.create_table(
        "settings",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
    )
    op.create_table(
        "referral_tiers",
        sa.Column("id", Id, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("referrals_required", sa.BigInteger, nullable=False),
        sa.Column("reward_type", sa.Text, nullable=False),
        sa.Column("reward_value", sa.BigInteger, nullable=False),
        sa.Column("reward_currency", sa.Text),
        sa.Column("coupon_validity_days", sa.BigInteger, nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("sort_order", sa.BigInteger, nullable=False),
        sa.Column("claims_count", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.CheckConstraint("referrals_required >= 1", name="ck_referral_tiers_referrals_required"),
        sa.CheckConstraint("reward_value >= 1", name="ck_referral_tiers_reward_value"),
        sa.CheckConstraint("coupon_validity_days BETWEEN 1 AND 365", name="ck_referral_tiers_coupon_validity_days"),
        sa.CheckConstraint("claims_count >= 0", name="ck_referral_tiers_claims_count"),
        sa.CheckConstraint(
            "(reward_type = 'percentage_discount' AND reward_currency IS NULL AND reward_value <= 10000)"
            " OR (reward_type = 'fixed_discount' AND reward_currency IS NOT NULL)",
            name="ck_referral_tiers_reward",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_referral_tiers"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_referral_tiers_sort_order_referrals_required_id",
        "referral_tiers",
        ["sort_order", "referrals_required", "id"],
    )
