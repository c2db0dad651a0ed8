"""The referral program: tiers, referrals, referrers' counts, claims and refused referrals."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, UniqueConstraint

from lootkeep.storage.schema.columns import flag, instant, link, metadata, money, number, numbered_table, text

referral_tiers = numbered_table(
    "referral_tiers",
    text("name"),
    text("description", optional=True),
    number("referrals_required"),
    text("reward_type"),
    # Hundredths of the currency, or of a percent.
    money("reward_value"),
    text("reward_currency", optional=True),
    number("coupon_validity_days"),
    flag("is_active"),
    number("sort_order"),
    number("claims_count"),
    instant("created_at"),
    instant("updated_at"),
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
)

referrals = Table(
    "referrals",
    metadata,
    # A customer is referred at most once: the first code wins.
    Column("customer_id", BigInteger, ForeignKey("customers.id"), primary_key=True, autoincrement=False),
    link("referrer_id", "customers.id"),
    text("status"),
    instant("referred_at"),
    instant("first_order_at", optional=True),
    # What looks odd but was accepted: words like `same_address`, separated by spaces.
    text("marks"),
    # Keyed hashes: each of them is referred once, by anyone.
    text("mailbox", optional=True, unique=True),
    text("device", optional=True, unique=True),
    CheckConstraint("customer_id <> referrer_id", name="not_self"),
    CheckConstraint(
        "(status = 'pending' AND first_order_at IS NULL) OR (status = 'successful' AND first_order_at IS NOT NULL)",
        name="status",
    ),
    Index(None, "referred_at", "customer_id"),
    Index(None, "status", "referred_at", "customer_id"),
    Index(None, "referrer_id", "referred_at"),
    Index(None, "referrer_id", "first_order_at"),
)

referrers = Table(
    "referrers",
    metadata,
    Column("customer_id", BigInteger, ForeignKey("customers.id"), primary_key=True, autoincrement=False),
    number("total_referrals"),
    number("successful_referrals"),
    number("rewards_claimed"),
    # When the current count was reached: the latest referral that counts; 0 if there is none.
    instant("total_reached_at"),
    instant("successful_reached_at"),
    CheckConstraint("total_referrals >= successful_referrals AND successful_referrals >= 0", name="counts"),
    sqlite_with_rowid=False,
)

# The two leaderboards and the top referrers read the head of an index.
Index(
    "ix_referrers_by_total", referrers.c.total_referrals.desc(), referrers.c.total_reached_at, referrers.c.customer_id
)
Index(
    "ix_referrers_by_successful",
    referrers.c.successful_referrals.desc(),
    referrers.c.successful_reached_at,
    referrers.c.customer_id,
)
Index(
    "ix_referrers_by_both",
    referrers.c.successful_referrals.desc(),
    referrers.c.total_referrals.desc(),
    referrers.c.customer_id,
)

reward_claims = numbered_table(
    "reward_claims",
    link("customer_id", "customers.id"),
    link("tier_id", "referral_tiers.id"),
    link("coupon_id", "coupons.id"),
    instant("claimed_at"),
    UniqueConstraint("customer_id", "tier_id"),
    Index(None, "claimed_at", "id"),
    Index(None, "tier_id"),
)

refused_referrals = numbered_table(
    "refused_referrals",
    link("customer_id", "customers.id"),
    link("referrer_id", "customers.id"),
    text("reason"),
    instant("created_at"),
    Index(None, "customer_id"),
)
