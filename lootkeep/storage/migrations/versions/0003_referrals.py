"""Referrals, referrers, coupons, claims and refused referrals."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "coupons",
        sa.Column("id", ID, nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("discount_type", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("order_id", sa.BigInteger(), nullable=True),
        sa.Column("discount_given", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("(status = 'available') = (order_id IS NULL)", name="ck_coupons_held"),
        sa.CheckConstraint("discount_type IN ('percentage', 'fixed')", name="ck_coupons_discount_type"),
        sa.CheckConstraint("origin IN ('tier', 'welcome')", name="ck_coupons_origin"),
        sa.CheckConstraint("status IN ('available', 'reserved', 'used')", name="ck_coupons_status"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_coupons_customer_id"),
        sa.PrimaryKeyConstraint("id", name="pk_coupons"),
        sa.UniqueConstraint("code", name="uq_coupons_code"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_coupons_customer_id", "coupons", ["customer_id"])
    op.create_table(
        "referrals",
        sa.Column("customer_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("referrer_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("referred_at", sa.BigInteger(), nullable=False),
        sa.Column("first_order_at", sa.BigInteger(), nullable=True),
        sa.Column("marks", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "(status = 'pending' AND first_order_at IS NULL) OR (status = 'successful' AND first_order_at IS NOT NULL)",
            name="ck_referrals_status",
        ),
        sa.CheckConstraint("customer_id <> referrer_id", name="ck_referrals_not_self"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_referrals_customer_id"),
        sa.ForeignKeyConstraint(["referrer_id"], ["customers.id"], name="fk_referrals_referrer_id"),
        sa.PrimaryKeyConstraint("customer_id", name="pk_referrals"),
    )
    op.create_index("ix_referrals_referred_at_customer_id", "referrals", ["referred_at", "customer_id"])
    op.create_index("ix_referrals_referrer_id_first_order_at", "referrals", ["referrer_id", "first_order_at"])
    op.create_index("ix_referrals_referrer_id_referred_at", "referrals", ["referrer_id", "referred_at"])
    op.create_index(
        "ix_referrals_status_referred_at_customer_id", "referrals", ["status", "referred_at", "customer_id"]
    )
    op.create_table(
        "referrers",
        sa.Column("customer_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("total_referrals", sa.BigInteger(), nullable=False),
        sa.Column("successful_referrals", sa.BigInteger(), nullable=False),
        sa.Column("rewards_claimed", sa.BigInteger(), nullable=False),
        sa.Column("total_reached_at", sa.BigInteger(), nullable=False),
        sa.Column("successful_reached_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "total_referrals >= successful_referrals AND successful_referrals >= 0", name="ck_referrers_counts"
        ),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_referrers_customer_id"),
        sa.PrimaryKeyConstraint("customer_id", name="pk_referrers"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_referrers_by_both",
        "referrers",
        [sa.literal_column("successful_referrals DESC"), sa.literal_column("total_referrals DESC"), "customer_id"],
    )
    op.create_index(
        "ix_referrers_by_successful",
        "referrers",
        [sa.literal_column("successful_referrals DESC"), "successful_reached_at", "customer_id"],
    )
    op.create_index(
        "ix_referrers_by_total",
        "referrers",
        [sa.literal_column("total_referrals DESC"), "total_reached_at", "customer_id"],
    )
    op.create_table(
        "refused_referrals",
        sa.Column("id", ID, nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("referrer_id", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_refused_referrals_customer_id"),
        sa.ForeignKeyConstraint(["referrer_id"], ["customers.id"], name="fk_refused_referrals_referrer_id"),
        sa.PrimaryKeyConstraint("id", name="pk_refused_referrals"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reward_claims",
        sa.Column("id", ID, nullable=False),
        sa.Column("customer_id", sa.BigInteger(), nullable=False),
        sa.Column("tier_id", sa.BigInteger(), nullable=False),
        sa.Column("coupon_id", sa.BigInteger(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["coupon_id"], ["coupons.id"], name="fk_reward_claims_coupon_id"),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name="fk_reward_claims_customer_id"),
        sa.ForeignKeyConstraint(["tier_id"], ["referral_tiers.id"], name="fk_reward_claims_tier_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reward_claims"),
        sa.UniqueConstraint("customer_id", "tier_id", name="uq_reward_claims_customer_id_tier_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reward_claims_claimed_at_id", "reward_claims", ["claimed_at", "id"])
    op.create_index("ix_reward_claims_tier_id", "reward_claims", ["tier_id"])
